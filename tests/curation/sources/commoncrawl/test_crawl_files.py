"""A crawl's files as a file system: ranges of one ETag, and a recipe that reads them by name."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fsspec.config import conf

from curation.core import storage
from curation.core.errors import InputError, StageError, UserError
from curation.core.input_files import list_files, unchanged
from curation.core.protocols import Piece, ReadTally
from curation.core.storage_options import CommonCrawl, StorageOptions, configure
from curation.engine.executor.failures import machine_fault
from curation.engine.recipe.address import list_inputs
from curation.sources.commoncrawl.client import FileChangeError
from curation.sources.warc import Warc
from tests.crawl_server import CONTACT, CRAWL, CrawlServer, Fault, crawl_server, paths_gz
from tests.curation.sources.sample_archives import members, warc
from tests.runs import winnow_here

PATHS = [f"crawl-data/{CRAWL}/segments/1.1/warc/{CRAWL}-{number:05d}.warc.gz" for number in range(4)]
NAME = f"commoncrawl:{CRAWL}/1:3"
RECIPE = """
version: 1
name: streamed
storage: {commoncrawl: {contact: "%s", base: "%s"}}
sources:
  web:
    - read: {warc: {paths: ["%s"]}}
    - extract: {resiliparse: {}}
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[CrawlServer]:
    monkeypatch.setitem(conf, "commoncrawl", {"backoff": 0.001})
    files = {path: members(*(warc(f"{number}/{i}") for i in range(3))) for number, path in enumerate(PATHS)}
    with crawl_server({**files, f"crawl-data/{CRAWL}/warc.paths.gz": paths_gz(*reversed(PATHS))}) as made:
        configure(StorageOptions(commoncrawl=CommonCrawl(contact=CONTACT, base=made.url)))
        yield made


def urls(path: str) -> list[str]:
    batches = Warc(paths=()).read([Piece(path, name="x")], "s", ReadTally())
    return [url for batch in batches for url in batch["url"].to_pylist()]


def test_a_name_becomes_files_with_their_sizes_and_etags(server: CrawlServer) -> None:
    files = list_inputs((NAME,))
    assert [file.path for file in files] == [f"commoncrawl://{path}" for path in PATHS[1:3]]
    assert [file.size for file in files] == [len(server.files[path]) for path in PATHS[1:3]]
    assert len({file.stamp for file in files}) == 2
    assert {ask.method for ask in server.asks[1:]} == {"HEAD"}
    assert len(server.asks) == 3
    assert urls(files[1].path) == [f"https://example.org/2/{i}" for i in range(3)]


def test_a_changed_file_is_refused(server: CrawlServer) -> None:
    (file,) = list_files(f"commoncrawl://{PATHS[0]}")
    server.files[PATHS[0]] = members(*(warc(f"9/{i}") for i in range(3)))
    with pytest.raises(FileChangeError, match="has changed"):
        urls(file.path)
    assert not unchanged(file.path, file.size, file.stamp, file.modified)
    assert urls(file.path)[0] == "https://example.org/9/0"


def test_a_file_that_is_gone_and_a_server_that_refuses(server: CrawlServer) -> None:
    with pytest.raises(InputError, match="no input matches commoncrawl://crawl-data/none"):
        list_files("commoncrawl://crawl-data/none")
    server.fault = lambda ask: Fault(403)
    with pytest.raises(UserError, match=r"is refused \(HTTP 403\)"):
        list_inputs((NAME,))


def test_a_storm_is_waited_out_and_one_without_end_is_a_fault_of_the_machine(server: CrawlServer) -> None:
    server.fault = lambda ask: [Fault(503), Fault(cut=20), Fault(429), None][ask.number % 4]
    path = f"commoncrawl://{PATHS[0]}"
    assert urls(path) == [f"https://example.org/0/{i}" for i in range(3)]
    server.fault = lambda ask: Fault(503)
    with pytest.raises(StageError, match="HTTP 503; run the same command again later") as caught:
        urls(path)
    assert machine_fault(caught.value)  # so that the unit is tried again


def test_the_end_of_a_file_and_beyond(server: CrawlServer) -> None:
    fs, path = storage.resolve(f"commoncrawl://{PATHS[0]}")
    body = server.files[PATHS[0]]
    with fs.open_input_file(path) as file:
        file.seek(len(body) - 3)
        assert (file.read(), file.read(5)) == (body[-3:], b"")


def test_names_that_cannot_be(server: CrawlServer) -> None:
    for name in ("commoncrawl:CC-MAIN-2024-10", "commoncrawl:CC-MAIN-2024-10/wet", "commoncrawl:x/0:1"):
        with pytest.raises(UserError, match=r"names no files of a crawl; write commoncrawl:CC-MAIN-2024-10/0:100"):
            list_inputs((name,))
    configure(StorageOptions(commoncrawl=CommonCrawl(contact="nobody", base=server.url)))
    with pytest.raises(InputError, match="the contact is 'nobody'; give an e-mail address or a web page"):
        list_inputs((NAME,))


def test_a_recipe_reads_a_crawl_by_name(server: CrawlServer, tmp_path: Path) -> None:
    recipe = tmp_path / "streamed.yaml"
    recipe.write_text(RECIPE % (CONTACT, server.url, NAME))
    server.fault = lambda ask: Fault(403) if ask.method == "GET" and ask.path == PATHS[2] else None
    stopped = winnow_here("curate", recipe, "--output", tmp_path / "run", "--inline")
    assert stopped.returncode == 2
    assert stopped.stderr.count("is refused (HTTP 403); nothing more is asked") == 1
    assert server.seen[PATHS[2]] == 2
    server.fault = lambda ask: None
    done = winnow_here("curate", recipe, "--output", tmp_path / "run", "--inline")
    assert done.returncode == 0, done.stderr
    shown = winnow_here("plan", recipe, "--output", tmp_path / "run")
    assert shown.stdout.count("sealed") == 1
    server.fault = lambda ask: Fault(403)
    refused = winnow_here("plan", recipe, "--output", tmp_path / "run")
    assert refused.returncode == 2
    assert "is refused (HTTP 403)" in refused.stderr
    assert refused.stderr.count("\n") == 1
