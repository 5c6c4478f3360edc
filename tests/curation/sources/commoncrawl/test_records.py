"""Records by host and by language: what of the index is read, what is asked first, and the WARC files they become."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError, UserError
from curation.core.protocols import Piece, ReadTally
from curation.sources.commoncrawl.crawl_files import CrawlFiles
from curation.sources.commoncrawl.fetch import Fetch
from curation.sources.commoncrawl.index import CrawlSelection
from curation.sources.commoncrawl.path_lists import INDEX, index_part
from curation.sources.commoncrawl.records import fetch_records
from curation.sources.warc import Warc
from tests.crawl_server import CONTACT, CRAWL, CrawlServer, Fault, crawl_server, paths_gz
from tests.curation.sources.sample_archives import members, warc

HOSTS = ["a.org", "example.com", "www.example.com", "example.com.org", "sub.example.com", "z.net"]
LANGUAGES = ["deu", "eng,deu", "deu,eng", None, "eng", "deuu"]
TABLE = f"cc-index/table/cc-main/warc/crawl={CRAWL}"
PAGES = 4  # of each host


def surt(host: str, page: int) -> str:
    return f"{','.join(reversed(host.removeprefix('www.').split('.')))})/{page}"


def make_crawl() -> dict[str, bytes]:
    """Two archives, in which the pages of all hosts stand mixed, and an index of three files with two hosts each."""
    archives = {f"crawl-data/{CRAWL}/warc/{number}.warc.gz": b"" for number in range(2)}
    rows = []
    for page in range(PAGES):
        for host, language in zip(HOSTS, LANGUAGES, strict=True):
            name = f"crawl-data/{CRAWL}/warc/{page // 3}.warc.gz"
            record = members(warc(f"{host}/{page}"))
            place = (name, len(archives[name]), len(record))
            rows.append((surt(host, page), host, language, *place))
            archives[name] += record
    rows.sort()
    files = {}
    for number in range(3):
        out = io.BytesIO()
        pq.write_table(index_table(rows[8 * number : 8 * number + 8]), out, row_group_size=4)
        files[f"{TABLE}/subset=warc/part-{number}.parquet"] = out.getvalue()
    other = [path.replace("subset=warc", "subset=robotstxt") for path in files]
    return {**archives, **files, f"crawl-data/{CRAWL}/{INDEX}.paths.gz": paths_gz(*other, *files)}


def index_table(rows: list[tuple[str | int | None, ...]]) -> pa.Table:
    names = ["url_surtkey", "url_host_name", "content_languages"]
    places = ["warc_filename", "warc_record_offset", "warc_record_length"]
    return pa.table(dict(zip([*names, *places], map(list, zip(*rows, strict=True)), strict=True)))


@pytest.fixture
def server() -> Iterator[CrawlServer]:
    with crawl_server(make_crawl()) as made:
        yield made


def fetch(server: CrawlServer, folder: Path, files: str | None = None, **chosen: str) -> tuple[Fetch, list[str]]:
    asked: list[str] = []
    index = CrawlFiles(contact=CONTACT, base=server.url, backoff=0.001, attempts=3)
    selection = CrawlSelection(**chosen)
    return fetch_records(index, index_part(CRAWL, files), selection, str(folder), asked.append), asked


def urls(folder: Path) -> list[str]:
    tally = ReadTally()
    pieces = [Piece(str(path), name=path.name) for path in sorted(folder.glob("*.warc.gz"))]
    found = [url for batch in Warc(paths=()).read(pieces, "s", tally) for url in batch["url"].to_pylist()]
    assert (tally.records, tally.faults) == ({}, [])
    return found


def pages(*hosts: str) -> list[str]:
    """In the order of the archives."""
    return [f"https://example.org/{host}/{page}" for page in range(PAGES) for host in HOSTS if host in hosts]


@pytest.mark.parametrize("host", ["example.com", "www.EXAMPLE.com."])
def test_a_host(server: CrawlServer, tmp_path: Path, host: str) -> None:
    done, asked = fetch(server, tmp_path, host=host)
    assert urls(tmp_path) == pages("example.com", "www.example.com")
    assert (done.records, done.fetched, done.failed) == (8, 1, {})
    assert re.fullmatch(r"search 1 of 3 files of the index, about 1\.\d kB", asked[0])
    assert re.fullmatch(r"fetch 8 records, 1\.\d kB, with 4 requests", asked[1])
    ranges = [ask.headers["Range"] for ask in server.asks if ask.path.endswith(".warc.gz")]
    assert len(ranges) == 4
    assert not [ask for ask in server.asks if ask.path.endswith("part-2.parquet")]
    (record,) = json.loads((tmp_path / "_manifest.json").read_text())["files"]
    assert (record["members"], record["failed"]) == (8, {})


def test_a_language_is_the_first_that_the_index_names(server: CrawlServer, tmp_path: Path) -> None:
    done, asked = fetch(server, tmp_path, language="deu")
    assert sorted(urls(tmp_path)) == sorted(pages("a.org", "www.example.com"))
    assert asked[0].startswith("search 3 of 3 files of the index, about ")
    assert done.records == 8
    _, asked = fetch(server, tmp_path / "part", language="deu", files="2:3")
    assert asked[0].startswith("search 1 of 1 file of the index")
    assert urls(tmp_path / "part") == pages("a.org")


def test_what_is_there_is_not_asked_for_again(server: CrawlServer, tmp_path: Path) -> None:
    fetch(server, tmp_path, host="a.org")
    asks = len(server.asks)
    done, _ = fetch(server, tmp_path, host="a.org")
    assert (done.fetched, done.there, len(server.asks)) == (0, 1, asks)


def test_a_call_that_was_stopped_goes_on_with_the_same_records(server: CrawlServer, tmp_path: Path) -> None:
    server.fault = lambda ask: Fault(403) if ask.path.endswith("1.warc.gz") else None
    with pytest.raises(UserError, match="is refused"):
        fetch(server, tmp_path, host="a.org")
    assert not urls(tmp_path)
    searched = len([ask for ask in server.asks if ask.path.startswith("cc-index")])
    server.fault = lambda ask: Fault(503) if ask.number % 2 else None
    fetch(server, tmp_path, host="a.org")
    assert urls(tmp_path) == pages("a.org")
    assert len([ask for ask in server.asks if ask.path.startswith("cc-index")]) == searched


def test_a_host_without_records(server: CrawlServer, tmp_path: Path) -> None:
    done, asked = fetch(server, tmp_path, host="b.org")
    assert (done.files, done.records, len(asked)) == (0, 0, 1)
    assert fetch(server, tmp_path, host="zz.zz")[1] == []


def test_records_that_are_damaged_or_gone_are_named(server: CrawlServer, tmp_path: Path) -> None:
    first = f"crawl-data/{CRAWL}/warc/0.warc.gz"
    server.files[first] = b"\0" * 40 + server.files[first][40:]
    del server.files[f"crawl-data/{CRAWL}/warc/1.warc.gz"]
    done, _ = fetch(server, tmp_path, host="a.org")
    assert urls(tmp_path) == pages("a.org")[1:3]
    assert [*done.failed] == [f"{first}@0", f"crawl-data/{CRAWL}/warc/1.warc.gz@0"]
    assert done.failed[f"{first}@0"] == "it is no gzip file"


def parquet(row: tuple[str | int | None, ...], **columns: str) -> bytes:
    out = io.BytesIO()
    table = index_table([row])
    pq.write_table(table.rename_columns([columns.get(name, name) for name in table.column_names]), out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(parquet(("a)", "a", "deu", "crawl-data/../b", 0, 5)), "1 record that cannot be", id="path"),
        pytest.param(parquet(("a)", "a", "deu", "crawl-data/a.gz", -1, 5)), "1 record that cannot be", id="offset"),
        pytest.param(parquet(("a)", "a", "deu", "crawl-data/a.gz", 0, 1 << 40)), "1 record that", id="length"),
        pytest.param(parquet(("a)", "a", "deu", None, 0, 5)), "1 record that cannot be", id="null"),
        pytest.param(
            parquet(("a)", "a", "deu", "b", 0, 5), content_languages="x"), "no column content_languages", id="column"
        ),
        pytest.param(b"no Parquet", "cannot be read as Parquet", id="no Parquet"),
    ],
)
def test_an_index_that_is_damaged(server: CrawlServer, tmp_path: Path, body: bytes, why: str) -> None:
    server.files = {path: body if path.startswith("cc-index") else old for path, old in server.files.items()}
    with pytest.raises(InputError, match=why):
        fetch(server, tmp_path, language="deu")


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({}, "give either"),
        ({"host": "a.org", "language": "deu"}, "give either"),
        ({"host": "a.org/x"}, "'a.org/x' is no host"),
        ({"host": "192.0.2.1"}, "is no host"),
        ({"language": "de"}, "'de' is no language of the index; give three letters"),
    ],
)
def test_selections_that_cannot_be(chosen: dict[str, str], why: str) -> None:
    with pytest.raises(UserError, match=why):
        CrawlSelection(**chosen)
