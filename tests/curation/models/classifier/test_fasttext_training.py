"""fastText in a process of its own: the same bytes each time, and texts that cannot pass for labels."""

from pathlib import Path
from typing import Any

import fasttext
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.classifier.fasttext_training import one_line, train
from tests.curation.models.classifier.examples import BAD, GOOD, texts

SETTINGS: dict[str, Any] = {"dim": 4, "wordNgrams": 2, "bucket": 500, "epoch": 3, "lr": 0.5, "minCount": 1}


def examples(*labels: str) -> list[tuple[pa.Array, pa.Array]]:
    several = [texts(phrase, 40) for phrase in (GOOD, BAD)]
    return [
        (pa.array([good, bad], pa.large_string()), pa.array(labels or ("good", "bad")))
        for good, bad in zip(*several, strict=True)
    ]


def test_the_same_examples_give_the_same_bytes() -> None:
    first = train(examples(), **SETTINGS)
    assert train(examples(), **SETTINGS) == first
    assert train(examples(), **SETTINGS | {"dim": 1, "wordNgrams": 1}) == train(
        examples(), **SETTINGS | {"dim": 1, "wordNgrams": 1}
    )


def test_fasttext_opens_the_model_and_predicts(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(train(examples(), **SETTINGS | {"epoch": 20}))
    binding: Any = fasttext.load_model(str(tmp_path / "model.bin")).f
    labels, _ = binding.multilinePredict([f"{GOOD}\n", f"{BAD}\n"], 1, 0.0, "strict")
    assert [label for (label,) in labels] == ["__label__good", "__label__bad"]


def test_marks_of_fasttext_in_a_text_are_words() -> None:
    assert one_line(b"a\nb\r\v\f\0c __label__x </s>") == b"a b    c _label__x /s>"


@pytest.mark.parametrize("label", ["very good", "", "a\tb"])
def test_a_label_that_fasttext_cannot_learn(label: str) -> None:
    with pytest.raises(InputError, match="is empty or has a space in it"):
        train(examples("bad", label), **SETTINGS)


def test_what_fasttext_says_is_passed_on() -> None:
    with pytest.raises(InputError, match=r"fastText could not learn from the examples: .*NaN"):
        train(examples(), **SETTINGS | {"lr": 1e30})
