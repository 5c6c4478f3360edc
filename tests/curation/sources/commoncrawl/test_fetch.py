"""Fetching files: whole and checked, whatever the server does on the way; and the rules that it sets."""

import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from curation.core.errors import InputError, StageError, UserError
from curation.core.run_lock import only_run
from curation.sources.commoncrawl.client import CrawlClient
from curation.sources.commoncrawl.courtesy import Courtesy
from curation.sources.commoncrawl.fetch import fetch_files
from curation.sources.commoncrawl.path_lists import crawl_part, named_part
from tests.crawl_server import CONTACT, CRAWL, Ask, CrawlServer, Fault, crawl_server, etag, paths_gz


def archive(seed: int, members: int = 20) -> bytes:
    draw = random.Random(seed)
    return b"".join(gzip.compress(draw.randbytes(2000), mtime=0) for _ in range(members))


PATHS = [f"crawl-data/{CRAWL}/segments/1.1/warc/{CRAWL}-{number:05d}.warc.gz" for number in range(12)]
FILES = {path: archive(number) for number, path in enumerate(PATHS)}
ONE = PATHS[0]
NAME = ONE.rpartition("/")[2]


@pytest.fixture
def server() -> Iterator[CrawlServer]:
    lists = {f"crawl-data/{CRAWL}/{kind}.paths.gz": paths_gz(*PATHS) for kind in ("warc", "robotstxt")}
    with crawl_server({**FILES, **lists}) as made:
        yield made


def records(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "_manifest.json").read_text())["files"]
    return found


def partial(folder: Path) -> list[Path]:
    return sorted(folder.glob("_partial.*"))


def test_files_are_whole_and_in_the_manifest(server: CrawlServer, tmp_path: Path) -> None:
    done = fetch_files(server.client(), PATHS, str(tmp_path))
    assert (done.files, done.fetched, done.there, done.failed) == (12, 12, 0, {})
    for path in PATHS:
        assert (tmp_path / path.rpartition("/")[2]).read_bytes() == FILES[path]
    first = records(tmp_path)[0]
    assert first["date"]
    assert {**first, "date": ""} == {
        "file": NAME,
        "url": f"{server.url}/{ONE}",
        "size": len(FILES[ONE]),
        "etag": etag(FILES[ONE]),
        "sha256": hashlib.sha256(FILES[ONE]).hexdigest(),
        "members": 20,
        "date": "",
    }
    assert not partial(tmp_path)
    assert server.at_once <= 10
    assert {f"(+{CONTACT})" in ask.headers["User-Agent"] for ask in server.asks} == {True}
    asked = len(server.asks)
    again = fetch_files(server.client(), PATHS, str(tmp_path))
    assert (again.fetched, again.there, len(server.asks)) == (0, 12, asked)


def test_a_storm_of_refusals_is_waited_out_slower_and_slower(server: CrawlServer, tmp_path: Path) -> None:
    server.fault = lambda ask: Fault(503) if ask.number <= 3 else None
    client = server.client()
    waits = []
    slower = client.pace.slower
    client.pace.slower = lambda asked=None: (slower(asked), waits.append(client.pace.wait))[0]  # type: ignore[method-assign]
    assert fetch_files(client, PATHS[:1], str(tmp_path)).fetched == 1
    assert waits == [0.001, 0.002, 0.004]


def test_refused_for_good_ends_all_with_one_line(server: CrawlServer, tmp_path: Path) -> None:
    server.fault = lambda ask: Fault(403) if ask.path == PATHS[1] else Fault(cut=10, stall=0.3)
    with pytest.raises(UserError, match=r"00001\.warc\.gz is refused \(HTTP 403\); nothing more is asked"):
        fetch_files(server.client(), PATHS, str(tmp_path))
    assert len(server.asks) <= 10
    assert records(tmp_path) == []


@pytest.mark.parametrize("fault", [Fault(cut=3000), Fault(cut=3000, stall=2.0)], ids=["cut off", "stalled"])
def test_a_broken_connection_goes_on_where_it_was(server: CrawlServer, tmp_path: Path, fault: Fault) -> None:
    server.fault = lambda ask: fault if ask.number == 1 else None
    assert fetch_files(server.client(stall=0.2), [ONE], str(tmp_path)).fetched == 1
    assert (tmp_path / NAME).read_bytes() == FILES[ONE]
    assert [ask.headers.get("Range") for ask in server.asks] == [None, "bytes=3000-"]
    assert server.asks[1].headers["If-Range"] == etag(FILES[ONE])


def test_a_later_process_goes_on_with_the_same_file_only(server: CrawlServer, tmp_path: Path) -> None:
    server.fault = lambda ask: Fault(cut=3000)
    failed = fetch_files(server.client(attempts=1), [ONE], str(tmp_path)).failed
    assert failed == {NAME: "no answer, or a connection lost (ClientPayloadError)"}
    assert [path.stat().st_size for path in partial(tmp_path)] == [3000]
    assert not (tmp_path / NAME).exists()
    server.fault = lambda ask: None
    server.files[ONE] = archive(99)
    assert fetch_files(server.client(), [ONE], str(tmp_path)).fetched == 1
    assert server.asks[-1].headers["Range"] == "bytes=3000-"
    assert (tmp_path / NAME).read_bytes() == archive(99)
    assert not partial(tmp_path)


def test_a_file_that_changes_on_the_way_is_fetched_anew(server: CrawlServer, tmp_path: Path) -> None:
    def change(ask: Ask) -> Fault | None:
        if ask.number == 1:
            return Fault(cut=3000)
        server.files[ONE] = archive(99)
        return None

    server.fault = change
    assert fetch_files(server.client(), [ONE], str(tmp_path)).fetched == 1
    assert (tmp_path / NAME).read_bytes() == archive(99)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(FILES[ONE][:-5], r"byte 38,\d+: gzip member is cut short", id="truncated"),
        pytest.param(
            FILES[ONE][:9000] + b"\0\0\0\0" + FILES[ONE][9004:], r"byte [68],\d+: damaged gzip member", id="damaged"
        ),
        pytest.param(b"<html>", "it is no gzip file", id="no gzip"),
        pytest.param(b"", "it is no gzip file", id="empty"),
    ],
)
def test_a_file_that_comes_damaged_twice_is_named(server: CrawlServer, tmp_path: Path, body: bytes, why: str) -> None:
    server.files[ONE] = body
    done = fetch_files(server.client(), PATHS[:2], str(tmp_path))
    assert (done.fetched, [*done.failed], server.seen[ONE]) == (1, [NAME], 2)
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(done.failed[NAME])
    assert not (tmp_path / NAME).exists()
    assert [record["file"] for record in records(tmp_path)] == [PATHS[1].rpartition("/")[2]]


def test_a_file_that_is_gone_is_named_and_the_others_come(server: CrawlServer, tmp_path: Path) -> None:
    del server.files[ONE]
    done = fetch_files(server.client(), PATHS[:2], str(tmp_path))
    assert (done.fetched, server.seen[ONE]) == (1, 1)
    assert "(HTTP 404)" in done.failed[NAME]


def test_two_calls_into_one_folder(server: CrawlServer, tmp_path: Path) -> None:
    with only_run(str(tmp_path)), pytest.raises(InputError, match="another winnow is running in"):
        fetch_files(server.client(), [ONE], str(tmp_path))
    assert not server.asks


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    client = CrawlClient(Courtesy(contact=CONTACT, base="http://127.0.0.1:9"))
    with pytest.raises(InputError, match=r"cannot reach http://127\.0\.0\.1:9: .*; is the network there\?"):
        listed(client, "warc", "0:1")


def listed(client: CrawlClient, kind: str, files: str, crawl: str = CRAWL) -> list[str]:
    return crawl_part(crawl, kind, files).paths(client)


def test_parts_of_a_crawl(server: CrawlServer) -> None:
    assert listed(server.client(), "robotstxt", "2:4") == PATHS[2:4]
    with pytest.raises(InputError, match=r"has 12 warc files, not 13; give part of 0:12"):
        listed(server.client(), "warc", "0:13")
    with pytest.raises(InputError, match=r"no file at http.*wet\.paths\.gz \(HTTP 404\)"):
        listed(server.client(), "wet", "0:1")
    server.fault = lambda ask: Fault(500)
    with pytest.raises(StageError, match=r"HTTP 500; run the same command again later"):
        listed(server.client(), "warc", "0:1")


@pytest.mark.parametrize("crawl", ["CC-SUPPLEMENTAL-2026-22", "CC-NEWS/2026/05"])
def test_crawls_of_other_names(server: CrawlServer, crawl: str) -> None:
    path = f"crawl-data/{crawl}/segments/1.1/warc/{crawl.replace('/', '-')}-00000.warc.gz"
    server.files[f"crawl-data/{crawl}/warc.paths.gz"] = paths_gz(path)
    assert listed(server.client(), "warc", "0:1", crawl) == [path]
    assert named_part(f"commoncrawl:{crawl}/0:1") == crawl_part(crawl, "warc", "0:1")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(paths_gz("crawl-data/a/../../b.gz"), id="outside"),
        pytest.param(paths_gz("/etc/passwd"), id="absolute"),
        pytest.param(paths_gz("a/_manifest.json"), id="a name of ours"),
        pytest.param(paths_gz("a/x.gz", "b/x.gz"), id="one name twice"),
        pytest.param(paths_gz("a/x.gz")[:-3], id="cut short"),
        pytest.param(b"a/x.gz", id="no gzip"),
        pytest.param(paths_gz(), id="empty"),
    ],
)
def test_a_list_that_cannot_be(server: CrawlServer, body: bytes) -> None:
    server.files[f"crawl-data/{CRAWL}/warc.paths.gz"] = body
    with pytest.raises(InputError, match=r"warc\.paths\.gz is (no list of files|damaged)"):
        listed(server.client(), "warc", "0:1")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("../x", "warc", "0:1"), "no crawl is named"),
        (("CC-OTHER-2026-22", "warc", "0:1"), "no crawl is named"),
        ((CRAWL, "arc", "0:1"), "'arc' is no kind of files; give one of warc, wet"),
        ((CRAWL, "cc-index-table", "0:1"), "is no kind of files"),
        ((CRAWL, "warc", "5:5"), "'5:5' names no files"),
        ((CRAWL, "warc", "5"), "'5' names no files"),
    ],
)
def test_parts_that_cannot_be(arguments: tuple[str, str, str], why: str) -> None:
    with pytest.raises(UserError, match=why):
        crawl_part(*arguments)
