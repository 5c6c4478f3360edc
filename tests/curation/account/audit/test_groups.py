"""Which groups a document is in."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.audit.groups import BY, LENGTH, LENGTHS, NO_TEXT, Grouping, country, length_names
from curation.account.audit.term_lists import TermLists

DOMAINS = ("a.com", "b.de")
LISTS = TermLists(dialects={"pirate": ("arr", "ahoy")}, mentions={"sailors": ("sailor", "sailors")}, attributes={})


def shard(folder: Path, **columns: list[object]) -> tuple[str]:
    """A part file of documents, 2 rows a group, whose text is "x" unless given."""
    rows = len(next(iter(columns.values())))
    table = pa.table(
        {
            "url": pa.array(columns.get("url", [None] * rows), pa.string()),
            "crawled_at": pa.array(columns.get("crawled_at", [None] * rows), pa.timestamp("ms", tz="UTC")),
            "declared_language": pa.array(columns.get("declared_language", [None] * rows), pa.string()),
            "text": pa.array(columns.get("text", ["x"] * rows), pa.large_string()),
            "drop_reason": pa.nulls(rows, pa.string()),
        }
    )
    pq.write_table(table, folder / "part.parquet", row_group_size=2)
    return (str(folder / "part.parquet"),)


def groups(files: tuple[str], by: str) -> list[list[str]]:
    """The names of each row's groups."""
    grouping = Grouping((by,), LISTS, DOMAINS)
    described = grouping.describe(files)
    found: list[list[str]] = [[] for _ in described.domains]
    members = described.members[by]
    for row, group in zip(members.rows.tolist(), members.groups.tolist(), strict=True):
        found[row].append([*grouping.names[by]][group])
    return found


def test_addresses(tmp_path: Path) -> None:
    urls = [
        "https://x.a.com/",
        "http://b.de",
        "http://other.de/",
        "http://1.2.3.4/",
        None,
        "http://яндекс.рф/",
        "http://x.io",
    ]
    files = shard(tmp_path, url=urls)
    assert groups(files, "domain") == [["a.com"], ["b.de"], [], ["(none)"], ["(none)"], [], []]
    assert groups(files, "country") == [["(generic)"], ["de"], ["de"], ["(none)"], ["(none)"], ["ru"], ["io"]]
    assert Grouping(("date",), LISTS, DOMAINS).describe(files).domains.tolist() == [0, 1, 2, 2, 2, 2, 2]


def test_dates_and_declared_languages(tmp_path: Path) -> None:
    files = shard(tmp_path, crawled_at=[datetime(2024, 1, 31, 23, tzinfo=UTC), None, datetime(2023, 12, 1, tzinfo=UTC)])
    assert groups(files, "date") == [["2024-01"], ["(unknown)"], ["2023-12"]]
    files = shard(tmp_path, declared_language=["en-GB", "EN", "ZH_Hant", " ", "", None])
    assert groups(files, "declared_language") == [["en"], ["en"], ["zh"], *[["(none)"]] * 3]


def test_lengths_are_of_characters(tmp_path: Path) -> None:
    files = shard(tmp_path, text=["é" * 249, "é" * 250, "", None, "x" * 64_000])
    assert groups(files, LENGTH) == [["under 250"], ["250 to 1,000"], ["under 250"], [], ["from 64,000"]]
    assert Grouping((LENGTH,), LISTS, DOMAINS).describe(files).lengths.tolist() == [0, 1, 0, NO_TEXT, len(LENGTHS)]
    assert len(length_names()) == NO_TEXT


def test_two_places_of_terms_make_a_member(tmp_path: Path) -> None:
    files = shard(tmp_path, text=["Arr, ahoy!", "arr", "ahoy ahoy sailor sailors", None, "carr ahoys"])
    assert groups(files, "dialect") == [["pirate"], [], ["pirate"], [], []]
    assert groups(files, "mention") == [[], [], ["sailors"], [], []]


def test_chosen_rows_and_an_empty_shard(tmp_path: Path) -> None:
    files = shard(tmp_path, text=["arr arr", "x", "arr arr", "arr arr"])
    grouping = Grouping(BY, LISTS, DOMAINS)
    chosen = grouping.describe(files, rows=np.array([1, 3]))
    assert chosen.members["dialect"].rows.tolist() == [1]
    empty = grouping.describe(shard(tmp_path, text=[]))
    assert {by: len(members.rows) for by, members in empty.members.items()} == dict.fromkeys(BY[1:], 0)
    assert len(empty.domains) == len(empty.lengths) == 0


def test_text_is_read_only_where_it_is_asked_for(tmp_path: Path) -> None:
    described = Grouping(("date", "country"), LISTS, DOMAINS).describe(shard(tmp_path, text=["x"]))
    assert described.lengths.tolist() == [NO_TEXT]
    assert set(described.members) == {"date", "country"}


@pytest.mark.parametrize(
    ("label", "group"),
    [
        ("uk", "uk"),
        ("org", "(generic)"),
        ("xn--p1ai", "ru"),
        ("xn--unknown", "(generic)"),
        ("", "(none)"),
        ("[::1]", "(none)"),
    ],
)
def test_countries(label: str, group: str) -> None:
    assert country(label) == group
