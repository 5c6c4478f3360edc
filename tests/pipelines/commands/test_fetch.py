"""`winnow fetch`: what it prints, what it asks, and its exit codes."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl_server import CONTACT, CRAWL, CrawlServer, Fault, crawl_server, paths_gz
from tests.curation.sources.commoncrawl.test_records import PAGES, make_crawl, pages, urls
from tests.runs import winnow_here


@pytest.fixture
def server() -> Iterator[CrawlServer]:
    files = make_crawl()
    names = [path for path in files if path.endswith(".warc.gz")]
    with crawl_server({**files, f"crawl-data/{CRAWL}/warc.paths.gz": paths_gz(*names)}) as made:
        yield made


def fetch(server: CrawlServer, *words: str | Path, contact: str = CONTACT) -> "subprocess.CompletedProcess[str]":
    given = ["--crawl", CRAWL, "--contact", contact, "--from", server.url]
    return winnow_here("fetch", "commoncrawl", *given, *words)


def test_files(server: CrawlServer, tmp_path: Path) -> None:
    done = fetch(server, "--files", "0:2", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 files fetched" in done.stdout
    assert "2 of 2 files" in done.stderr
    assert len(urls(tmp_path)) == 6 * PAGES
    assert "0 files fetched, 0 B; 2 were there" in fetch(server, "--files", "0:2", "--output", tmp_path).stdout


def test_a_file_that_cannot_be_had(server: CrawlServer, tmp_path: Path) -> None:
    server.fault = lambda ask: Fault(410) if ask.path.endswith("1.warc.gz") else None
    done = fetch(server, "--files", "0:2", "--output", tmp_path, "--json")
    assert done.returncode == 1
    assert [*json.loads(done.stdout)["failed"]] == ["1.warc.gz"]
    assert "1 file or record could not be had: 1.warc.gz: no file at" in done.stderr


def test_records_are_asked_for_first(server: CrawlServer, tmp_path: Path) -> None:
    refused = fetch(server, "--host", "a.org", "--output", tmp_path)
    assert refused.returncode == 2
    assert "this would search 1 of 3 files of the index" in refused.stderr
    assert refused.stderr.endswith("to agree, give --yes\n")
    assert not urls(tmp_path)
    done = fetch(server, "--host", "a.org", "--output", tmp_path, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"] == PAGES
    assert "fetch 4 records" in done.stderr
    assert urls(tmp_path) == pages("a.org")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        pytest.param([], "--files FIRST:STOP says which files", id="no files"),
        pytest.param(["--files", "0:9"], "has 2 warc files, not 9; give part of 0:2", id="too many"),
        pytest.param(["--files", "0:1", "--kind", "arc"], "'arc' is no kind", id="kind"),
        pytest.param(["--host", "a.org", "--kind", "wet"], "--kind wet: the index knows WARC", id="kind of records"),
        pytest.param(["--host", "a.org", "--language", "deu"], "give either a host or a language", id="both"),
        pytest.param(["--host", ""], "give either a host or a language", id="empty host"),
    ],
)
def test_what_cannot_be(server: CrawlServer, tmp_path: Path, words: list[str], why: str) -> None:
    done = fetch(server, *words, "--output", tmp_path)
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_contact_is_needed_before_anything_is_asked(server: CrawlServer, tmp_path: Path) -> None:
    done = fetch(server, "--files", "0:1", "--output", tmp_path, contact="me")
    assert done.returncode == 2
    assert "the contact is 'me'; give an e-mail address" in done.stderr
    assert not server.asks
