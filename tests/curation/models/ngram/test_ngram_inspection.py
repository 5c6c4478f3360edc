"""What is told of an n-gram model: its own facts, those of a file from elsewhere, and how it predicts documents."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.ngram.ngram_inspection import inspect, is_ngram_model

FOREIGN = """\\data\\
ngram 1=4
ngram 2=1

\\1-grams:
-1.0\t<unk>
0\t<s>\t-0.3
-0.5\t</s>
-0.7\ta\t-0.2

\\2-grams:
-0.1\t<s> a

\\end\\
"""


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    path = tmp_path / "foreign.arpa"
    path.write_text(FOREIGN)
    return str(path)


def test_a_file_from_elsewhere(foreign: str) -> None:
    assert is_ngram_model(foreign)
    facts = inspect(foreign, [])
    assert (facts["from_winnow"], facts["ngrams"], facts["normalization"]) == (False, [4, 1], "")
    assert "scores" not in facts


def test_how_it_predicts_documents(foreign: str) -> None:
    scores = inspect(foreign, [pa.array(["a", ""]), pa.array(["a"])], normalization="none")["scores"]
    assert (scores["documents"], scores["unscored"]) == (3, 1)
    # log10 p = -0.1 (a after <s>) + -0.2 - 0.5 (back-off to the end), over two tokens
    assert scores["perplexity"]["50"] == pytest.approx(10 ** (0.8 / 2))


def test_a_file_that_does_not_say_how_it_reads_text_cannot_score(foreign: str) -> None:
    with pytest.raises(InputError, match="does not say how its text was normalized"):
        inspect(foreign, [pa.array(["a"])])


def test_another_file(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"something else")
    assert not is_ngram_model(str(path))
