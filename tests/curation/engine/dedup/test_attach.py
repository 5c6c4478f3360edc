"""What becomes of spans that repeat: listed for every document but the best one that has them."""

from pathlib import Path

import pytest

from tests.curation.engine.dedup.runs import deduplicated, set_buckets

FOOT = "All rights reserved by the people who wrote this page."
SHARDS = [
    [f"one\n{FOOT}\nmore", f"{FOOT}\ntwo"],
    ["nothing repeated here, only a line of its own", "?"],
    [f"three\n{FOOT.upper()}"],
]


def spans(found: list[list[dict[str, object]]]) -> list[list[object]]:
    return [[row["line"] for row in shard] for shard in found]


def test_a_line_stays_in_its_first_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for buckets in (1, 4):
        set_buckets(monkeypatch, buckets)
        found = deduplicated(tmp_path / str(buckets), SHARDS, "line: {}")
        none: list[dict[str, int]] = []
        size = len(FOOT)
        assert spans(found) == [
            [
                {"spans": none, "units": 1, "repeated": 0, "text_bytes": 9 + size},
                {"spans": [{"start": 0, "stop": size}], "units": 1, "repeated": 1, "text_bytes": 4 + size},
            ],
            [
                {"spans": none, "units": 1, "repeated": 0, "text_bytes": 45},
                {"spans": none, "units": 0, "repeated": 0, "text_bytes": 1},
            ],
            [{"spans": [{"start": 6, "stop": 6 + size}], "units": 1, "repeated": 1, "text_bytes": 6 + size}],
        ]
        assert {row["drop_reason"] for shard in found for row in shard} == {None}


def test_documents_are_counted_over_all_shards(tmp_path: Path) -> None:
    """Three documents have the line, two of them in one shard."""
    cut = {3: 2, 4: 0}
    for copies, expected in cut.items():
        found = deduplicated(tmp_path / str(copies), SHARDS, f"line: {{min_copies: {copies}}}")
        assert sum(row["line"]["repeated"] for shard in found for row in shard) == expected


def test_within_one_shard(tmp_path: Path) -> None:
    found = deduplicated(tmp_path, [[FOOT, FOOT, FOOT]], "line: {min_copies: 3}", options="keep: longest")
    assert [row["line"]["repeated"] for row in found[0]] == [0, 1, 1]
