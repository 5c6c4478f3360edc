"""Unigram divergence: its limits, references by language, and bad input."""

import math
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.by_language import LANGUAGE
from curation.core.errors import InputError, RecipeError
from curation.engine.apply import judge
from curation.filters.unigram_divergence import UnigramDivergence
from curation.fit.unigrams import Unigrams
from tests.support import documents, learned, verdict

CORPUS = "the cat and the dog and the bird saw the sea"  # 11 words: the 4, and 2, five others 1


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("reference") / "unigrams.bin", CORPUS)


def written(path: Path, text: str) -> str:
    path.write_bytes(learned(Unigrams(min_count=1), [pa.array([text])]))
    return str(path)


def test_the_limits_are_inclusive(reference: str) -> None:
    rare = math.log(12) + 1e-9
    above = math.log(12) - 1e-9
    assert verdict(UnigramDivergence(reference=reference, max_divergence=rare), "sea") is None
    assert verdict(UnigramDivergence(reference=reference, max_divergence=above), "sea") == "divergence:high"
    assert verdict(UnigramDivergence(reference=reference, min_divergence=above), "sea") is None
    assert verdict(UnigramDivergence(reference=reference, min_divergence=rare), "sea") == "divergence:low"


def test_words_that_the_reference_does_not_list(reference: str) -> None:
    half = UnigramDivergence(reference=reference, max_unlisted_words=0.5)
    assert verdict(half, "the whale") is None
    assert verdict(half, "the whale swims") == "unlisted_words:high"


def test_by_default_only_the_divergence_is_limited(reference: str) -> None:
    assert [rule.signal for rule in UnigramDivergence(reference=reference).rules()] == ["divergence"]
    assert UnigramDivergence(reference=reference).reads == ("text",)


@pytest.mark.parametrize("text", ["", " \n", "… 。- ##"])
def test_a_text_without_a_word_is_unmeasured(reference: str, text: str) -> None:
    assert verdict(UnigramDivergence(reference=reference), text) == "divergence:unmeasured"


def test_limits_and_references_by_language(tmp_path: Path, reference: str) -> None:
    german = written(tmp_path / "de.bin", "der hund und die katze")
    rule_set = UnigramDivergence(
        reference={"en": reference, "de": german}, max_divergence=1.2, by_language={"de": {"max_divergence": 2.0}}
    )
    assert rule_set.reads.count(LANGUAGE) >= 1
    languages: list[object] = [{"label": label} for label in ("en", "de", "en", "fr", None)]
    batch = documents("the", "hund", "hund", "the", "the", language=languages)
    judged = judge([("unigram_divergence", rule_set)], batch)
    assert judged["drop_reason"].to_pylist() == [
        None,
        None,
        "unigram_divergence.divergence:high",
        "unigram_divergence.divergence:unmeasured",
        "unigram_divergence.divergence:unmeasured",
    ]
    found = judged["unigram_divergence"].field("divergence").to_pylist()
    assert found == pytest.approx([math.log(3), math.log(6), math.log(12), None, None])


def test_what_cannot_be(tmp_path: Path, reference: str) -> None:
    with pytest.raises(InputError, match="no word counts at nowhere; give the path"):
        UnigramDivergence(reference="nowhere").assets()
    with pytest.raises(InputError, match="no word counts at nowhere"):
        UnigramDivergence(reference={"en": reference, "de": "nowhere"}).assets()
    with pytest.raises(RecipeError, match="reference names no file"):
        UnigramDivergence(reference="")
    (tmp_path / "other.bin").write_text("{}")
    with pytest.raises(InputError, match="holds no word counts"):
        UnigramDivergence(reference=str(tmp_path / "other.bin")).measure(documents("a"))
