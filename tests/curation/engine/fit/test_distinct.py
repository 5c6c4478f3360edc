"""Each text once: repeated ones, those under two labels, labels that share too much, and the order of what is left."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.protocols import Piece
from curation.engine.executor.inline import Inline
from curation.engine.fit.example_files import ExampleFile
from curation.engine.fit.fit_stage import learned
from curation.engine.fit.portions import Portion
from curation.engine.recipe.address import list_inputs
from tests.curation.engine.fit.toys import Labelled, write_rows


def test_equal_texts_count_once_and_those_of_two_labels_not_at_all(tmp_path: Path) -> None:
    good = [{"text": f"good {n}"} for n in range(5)] + [{"text": "Good  0"}, {"text": "shared"}]
    bad = [{"text": f"bad {n}"} for n in range(3)] + [{"text": "shared"}, {"text": ""}]
    files, record = examples_learned(tmp_path, good, bad)
    shown = json.loads(files["labelled.json"])
    assert sorted(text for label, text, _ in shown if label == "negative") == ["bad 0", "bad 1", "bad 2"]
    assert len([text for label, text, _ in shown if label == "positive"]) == 5
    figures = {one["group"]: (one["documents"], one["repeated"], one["conflicts"]) for one in record["groups"]}
    assert figures == {"positive": (5, 1, 1), "negative": (3, 0, 1)}


def test_the_order_is_that_of_hashes_whatever_the_files(tmp_path: Path) -> None:
    good, bad = ([{"text": f"{kind} {n}"} for n in range(50)] for kind in ("good", "bad"))
    content = examples_learned(tmp_path, good, bad)[0]
    assert examples_learned(tmp_path, good[::-1], bad)[0] == content
    labels = [label for label, _, _ in json.loads(content["labelled.json"])]
    assert labels != sorted(labels) != labels[::-1]


def test_labels_that_share_most_texts_are_refused(tmp_path: Path) -> None:
    good, bad = ([{"text": f"{n}"} for n in range(first, 10)] for first in (0, 4))
    with pytest.raises(InputError, match="6 of 6 texts that were drawn for 'negative' are also examples of another"):
        examples_learned(tmp_path, good, bad)


def examples_learned(
    folder: Path, good: list[dict[str, Any]], bad: list[dict[str, Any]], **options: Any
) -> tuple[dict[str, bytes], dict[str, Any]]:
    paths = (write_rows(folder / "good.jsonl", good), write_rows(folder / "bad.jsonl", bad))
    fit = Labelled(positives=paths[0], negatives=paths[1], **options)
    several = [
        Portion(label, file=ExampleFile(Piece.of(file), one))
        for label, one in fit.examples().items()
        for file in list_inputs(one.files)
    ]
    return learned(fit, several, Inline())


def test_a_sample_of_labels_that_are_equally_large(tmp_path: Path) -> None:
    good, bad = ([{"text": f"{kind} {n:04}"} for n in range(size)] for kind, size in (("good", 500), ("evil", 2000)))
    options = {"sample_bytes": 3600, "sample_temperature": float("inf")}
    files, record = examples_learned(tmp_path, good, bad, **options)
    labels = Counter(label for label, _, _ in json.loads(files["labelled.json"]))
    assert labels == {"positive": 200, "negative": 200}
    assert [one["available_bytes"] for one in record["groups"]] == [18_000, 4_500]


def test_texts_of_two_labels_are_seen_as_such_although_one_label_is_drawn_more_thinly(tmp_path: Path) -> None:
    good = [{"text": f"both {n}"} for n in range(20)] + [{"text": f"good {n}"} for n in range(60)]
    bad = [{"text": f"both {n}"} for n in range(20)] + [{"text": f"bad {n}"} for n in range(5000)]
    files, record = examples_learned(
        tmp_path, good, bad, sample_bytes=2000, sample_weights={"positive": 1, "negative": 1}
    )
    shown = [text for _, text, _ in json.loads(files["labelled.json"])]
    assert len(set(shown)) == len(shown)
    conflicts = {one["group"]: one["conflicts"] for one in record["groups"]}
    assert 0 < conflicts["positive"] == conflicts["negative"] <= 20


def test_no_examples_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no examples to learn from"):
        examples_learned(tmp_path, [{"text": " "}], [{"text": ""}])
