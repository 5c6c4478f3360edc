"""Documents by group and reason at each stage, counted by hand."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from curation.account.audit.groups import DocumentTraits, Grouping, GroupNames, Membership
from curation.account.audit.tallies import END_TO_END, Cube, StageTally, reason_numbers, tally
from curation.account.audit.term_lists import term_lists
from tests.curation.account.audit.planted import curate, planted

WORDS = "gopher_quality.words:low"
COPY = "dedup.exact:duplicate"


def test_equal_combinations_are_summed() -> None:
    cube = Cube()
    cube.add(np.array([3, 0, 3]), np.array([1000, 2, 1000]), np.array([6, 0, 6]), np.array([4000, 0, 4000]))
    cube.add(np.array([3, 70_000]), np.array([1000, 0]), np.array([6, 1]), np.array([4000, 1]))
    columns = [column.tolist() for column in cube.columns()]
    assert columns == [[0, 3, 70_000], [2, 1000, 0], [0, 6, 1], [0, 4000, 1], [1, 3, 1]]


def by_group(stage: StageTally, grouping: Grouping, by: str) -> dict[tuple[str, str], int]:
    groups, _, _, reasons, counts = (column.tolist() for column in stage.by[by].columns())
    found = dict[tuple[str, str], int]()
    for group, reason, count in zip(groups, reasons, counts, strict=True):
        key = grouping.names[by].ordered[group], stage.reasons.ordered[reason]
        found[key] = found.get(key, 0) + count
    return found


def test_documents_are_followed_through_the_stages(tmp_path: Path) -> None:
    run = curate(tmp_path, planted())
    grouping = Grouping(("country", "declared_language"), term_lists(), ["red.de"])
    tallies = tally(run, grouping, print)
    assert by_group(tallies["gopher"], grouping, "country") == {
        ("de", WORDS): 53,
        ("de", ""): 37,
        ("(generic)", WORDS): 9,
        ("(generic)", ""): 81,
    }
    assert by_group(tallies["dedup"], grouping, "declared_language") == {
        ("en", ""): 78,
        ("fr", ""): 1,
        ("fr", COPY): 39,
    }
    assert by_group(tallies[""], grouping, "declared_language") == {
        ("en", WORDS): 62,
        ("en", ""): 78,
        ("fr", ""): 1,
        ("fr", COPY): 39,
    }
    assert END_TO_END == ""


def test_terms_are_heard_once_and_only_where_asked_for(tmp_path: Path) -> None:
    run = curate(tmp_path, planted())
    heard = list[int]()
    tally(run, Grouping(("country",), term_lists(), []), lambda places: heard.append(len(places.totals)))
    assert heard == []
    tally(run, Grouping(("mention",), term_lists(), []), lambda places: heard.append(len(places.totals)))
    assert sum(heard) == 180


def test_documents_taken_down_are_left_out() -> None:
    stage = StageTally()
    names = GroupNames({"": 0})
    reasons = reason_numbers(pa.chunked_array([["takedown", None], ["a.b:low"]]), names)
    assert reasons.tolist() == [-1, 0, 2]
    described = DocumentTraits(
        np.zeros(3, int), np.zeros(3, int), {"country": Membership(np.arange(3), np.array([0, 1, 1]))}
    )
    stage.add(described, np.arange(3), reasons)
    assert [column.tolist() for column in stage.by["country"].columns()][::3] == [[1, 1], [0, 2]]
    assert stage.by["country"].counts.tolist() == [1, 1]
