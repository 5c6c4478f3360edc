"""Documents by group and reason at each stage, counted by hand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa

from curation.account.audit.groups import DocumentTraits, Grouping, Membership
from curation.account.audit.tallies import StageTally, reason_numbers, tally
from curation.account.audit.term_lists import term_lists
from tests.curation.account.audit.planted import curate, planted

WORDS = "gopher_quality.words:low"
COPY = "dedup.exact:duplicate"


def by_group(stage: StageTally, grouping: Grouping, by: str) -> dict[tuple[str, str], int]:
    found = Counter[tuple[str, str]]()
    for row in stage.by[by].to_pylist():
        found[[*grouping.names[by]][row["group"]], [*stage.reasons][row["reason"]]] += row["documents"]
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


def test_terms_are_heard_once_and_only_where_asked_for(tmp_path: Path) -> None:
    run = curate(tmp_path, planted())
    heard = list[int]()
    tally(run, Grouping(("country",), term_lists(), []), lambda places: heard.append(len(places.totals)))
    assert heard == []
    tally(run, Grouping(("mention",), term_lists(), []), lambda places: heard.append(len(places.totals)))
    assert sum(heard) == 180


def test_documents_taken_down_are_left_out() -> None:
    stage = StageTally()
    names = {"": 0}
    reasons = reason_numbers(pa.chunked_array([["takedown", None], ["a.b:low"]]), names)
    assert reasons.tolist() == [-1, 0, 2]
    described = DocumentTraits(
        np.zeros(3, int), np.zeros(3, int), {"country": Membership(np.arange(3), np.array([0, 1, 1]))}
    )
    stage.add(described, np.arange(3), reasons)
    named = [(row["group"], row["reason"], row["documents"]) for row in stage.by["country"].to_pylist()]
    assert named == [(1, 0, 1), (1, 2, 1)]
