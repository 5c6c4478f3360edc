"""The scores of the extraction benchmark, by hand."""

import pytest

from benchmarks.extraction.extractors import Scores, grouped, score, segments


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        pytest.param("the old river", "The old river.", Scores(1.0, 1.0, 1.0), id="case and punctuation aside"),
        pytest.param("the river", "the old old river", Scores(1.0, 0.5, 2 / 3), id="half of the words"),
        pytest.param("a a a", "a b", Scores(1 / 3, 0.5, 0.4), id="a word counts as often as both have it"),
        pytest.param("古い川", "古 川", Scores(2 / 3, 1.0, 0.8), id="every Chinese character is a word"),
        pytest.param("", "river", Scores(0.0, 0.0, 0.0), id="nothing found"),
        pytest.param("", "", Scores(1.0, 1.0, 1.0), id="nothing to find"),
    ],
)
def test_score(text: str, truth: str, expected: Scores) -> None:
    found = score(text, truth)
    assert (found.precision, found.recall, found.f1) == pytest.approx(
        (expected.precision, expected.recall, expected.f1)
    )


def page(record: str, kind: str, **values: object) -> dict[str, object]:
    return {"record_id": record, "dataset": "one", "truth_kind": kind, **values}


def test_means_are_over_pages_of_full_truth_only() -> None:
    truth = [page("1", "full_text", text="a b"), page("2", "full_text", text="c"), page("3", "date_only", text="d")]
    found = grouped(truth, {"x": {"1": "a b", "2": "d", "3": "d"}}, lambda row: str(row["dataset"]))
    assert found == {"one": {"x": {"pages": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5}}}


def test_segments_are_counted_over_all_pages() -> None:
    truth = [
        page("1", "segments", **{"with": ["ab", "cd"], "without": ["menu"]}),
        page("2", "segments", **{"with": ["ef"], "without": []}),
        {**page("3", "segments"), "dataset": "without strings"},
    ]
    found = segments(truth, {"x": {"1": "ab menu", "2": "ef", "3": ""}})
    counts = {"wanted": 3, "found": 2, "unwanted": 1, "leaked": 1}
    assert found == {"one": {"x": {**counts, "precision": 2 / 3, "recall": 2 / 3, "f1": pytest.approx(2 / 3)}}}
