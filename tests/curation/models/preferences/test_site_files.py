"""Which file of a host is nearest in time, and which files are refused."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.preferences.site_files import AI_TXT, ROBOTS_TXT, SCHEMA, TDMREP, SiteFiles, load, to_bytes
from curation.models.preferences.site_verdicts import SiteVerdict, site_verdicts
from curation.text.urls.parse import parse_urls
from tests.support import table


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def made(folder: Path, *rows: tuple[str, str, str, str]) -> SiteFiles:
    """Of rows of host, kind, day and content."""
    columns = zip(*((host, kind, day(date), content) for host, kind, date, content in rows), strict=True)
    table = pa.Table.from_arrays([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)
    path = folder / "site_preferences.parquet"
    path.write_bytes(to_bytes(table, {"robots_txt": 3}))
    load.cache_clear()
    return load(str(path))


def test_the_nearest_file_of_the_host_counts(tmp_path: Path) -> None:
    files = made(
        tmp_path,
        ("b.example", ROBOTS_TXT, "2024-03-20", "late"),
        ("b.example", ROBOTS_TXT, "2024-03-01", "early"),
        ("b.example", AI_TXT, "2024-03-10", "ai"),
        ("a.example", ROBOTS_TXT, "2024-03-10", "early"),
    )
    cases = {
        ("https://b.example/x", "2024-03-02"): "early",
        ("http://B.example:8080/x", "2024-03-12"): "late",
        ("https://b.example/x", "2024-03-10T12:00"): "early",  # as near to both
        ("https://b.example/x", "2024-02-20"): "early",
        ("https://b.example/x", "2024-03-30"): "late",
        ("https://b.example/x", "2024-03-30T00:01"): None,
        ("https://www.b.example/x", "2024-03-02"): None,
        ("https://a.example/x", "2024-03-31"): None,
        ("no address", "2024-03-10"): None,
    }
    dates = np.array([int(day(date).timestamp() * 1000) for _, date in cases])
    urls = parse_urls(pa.array([url for url, _ in cases], pa.large_string()))
    rows = files.nearest(urls, ROBOTS_TXT, dates, 10).tolist()
    assert [None if row < 0 else files.content(row) for row in rows] == list(cases.values())
    assert (files.counts, files.hosts.total, len(files.contents)) == ({"robots_txt": 3}, 2, 3)


def test_a_verdict_of_the_files_of_a_host(tmp_path: Path) -> None:
    files = made(
        tmp_path,
        ("a.example", ROBOTS_TXT, "2024-03-01", "user-agent:CCBot\ndisallow:/a?b=\ncontent-usage:train-ai=n"),
        ("a.example", TDMREP, "2024-03-09", '[["/a", true, "https://p"], ["/", false, null]]'),
    )
    urls = parse_urls(pa.array(["https://a.example/a?b=1#c", "https://a.example", "https://b.example/"]))
    then = int(day("2024-03-09").timestamp() * 1000)
    dated = np.array([True, True, True])
    several, which = site_verdicts(files, urls, np.full(3, then), dated, ("CCBot",), 9)
    both = SiteVerdict("2024-03-01", "CCBot", content_usage=True, content_usage_stated="train-ai=n")
    reserved = {"tdm_reservation": True, "tdm_policy": "https://p"}
    assert vars(several[which[0]]) == vars(both) | reserved
    assert vars(several[which[1]]) == vars(both) | {"disallowed": None, "tdm_reservation": False}
    assert several[which[2]] == SiteVerdict()
    several, which = site_verdicts(files, urls, np.full(3, then), ~dated, ("CCBot",), 9)
    assert [several[number] for number in which] == [SiteVerdict()] * 3


def test_no_file_at_all(tmp_path: Path) -> None:
    path = tmp_path / "site_preferences.parquet"
    path.write_bytes(to_bytes(SCHEMA.empty_table(), {}))
    urls = parse_urls(pa.array(["https://a.example/"], pa.large_string()))
    assert load(str(path)).nearest(urls, ROBOTS_TXT, np.zeros(1, np.int64), 30).tolist() == [-1]


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    with pytest.raises(InputError, match="no site preferences at"):
        load(str(other))
    other.write_bytes(b"robots")
    with pytest.raises(InputError, match="is not made by"):
        load(str(other))


@table(
    "name, value, message",
    {
        "a host that is missing": ("host", None, "a row lacks a value"),
        "a day that is missing": ("fetched_at", None, "a row lacks a value"),
        "a kind that there is not": ("kind", "humans.txt", "or has another kind"),
    },
)
def test_rows_that_no_fit_writes(tmp_path: Path, name: str, value: str | None, message: str) -> None:
    row = {"host": "a.example", "kind": ROBOTS_TXT, "fetched_at": day("2025-01-02"), "content": "[]", name: value}
    path = tmp_path / "rows.parquet"
    path.write_bytes(to_bytes(pa.Table.from_pylist([row], schema=SCHEMA), {}))
    with pytest.raises(InputError, match=message):
        load(str(path))


def test_a_file_whose_pages_are_damaged(tmp_path: Path) -> None:
    made(tmp_path, ("a.example", ROBOTS_TXT, "2025-01-02", "[]"))
    path = tmp_path / "site_preferences.parquet"
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    load.cache_clear()
    with pytest.raises(InputError, match="is not made by"):
        load(str(path))
