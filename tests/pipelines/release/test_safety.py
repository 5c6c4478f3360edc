"""What counts as personal data and as a listed term in texts that a model wrote, and how samples hide it."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from pipelines.release.safety import SafetyQuestions, masked, term_filter, written

TEXTS = (
    "Write to anna.berg@town-hall.org or to bo@town-hall.org today.",
    "The weather was fine, and the boats went out.",
    "What a load of widdershins, the mayor said.",
)


def test_counts_and_masked_samples(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("widdershins\n")
    found = written(TEXTS, term_filter(SafetyQuestions(terms={"en": str(tmp_path / "terms.txt")})))
    assert found == {
        "texts": 3,
        "personal_data": {
            "texts": 1,
            "kinds": {"email": 1},
            "samples": ["Write to <email> or to <email> today."],
        },
        "listed_terms": {"texts": 1, "samples": [TEXTS[2]]},
    }


def test_spans_are_bytes_and_may_overlap() -> None:
    spans = [
        {"start": 3, "end": 6, "kind": "a"},
        {"start": 4, "end": 8, "kind": "b"},
        {"start": 9, "end": 10, "kind": "c"},
    ]
    assert masked("é12345678", spans) == "é1<a>7<c>"


def test_lists_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no built-in list of terms for xx; give a file as --terms"):
        term_filter(SafetyQuestions(language="xx"))
    with pytest.raises(InputError, match="no list of terms at"):
        term_filter(SafetyQuestions(terms={"en": str(tmp_path / "none.txt")}))
