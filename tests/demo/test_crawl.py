"""A small crawl from end to end: archives that warcio reads, every hand-written page as the table says, reuse."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from resiliparse.extract.html2text import extract_plain_text
from warcio.archiveiterator import ArchiveIterator

from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import Piece, ReadTally
from curation.core.rules import first_failure
from curation.filters.gopher_quality import GopherQuality
from curation.filters.gopher_repetition import GopherRepetition
from curation.sources.warc import Warc
from demo.crawl import MARKER, main, make_crawl
from demo.crawler import Exchange, decode
from demo.pages import DISALLOWED, PAGES, Page
from demo.site import WRITTEN
from tests.support import documents


def small_crawl(folder: Path, *, archives: int = 3) -> list[Path]:
    return make_crawl(folder, packages=("click",), projects=False, archives=archives, processes=1)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return small_crawl(tmp_path_factory.mktemp("crawl") / "new")


@pytest.fixture(scope="module")
def answers(crawled: list[Path]) -> dict[str, Exchange]:
    """The stored responses by address, as they went over the wire."""
    found = {}
    for path in crawled:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, no_record_parse=True):
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    found[url] = Exchange(url, b"", record.raw_stream.read())
    return found


def test_every_page_of_the_table_is_there_with_its_status(answers: dict[str, Exchange]) -> None:
    statuses = {page.url: decode(answers[page.url])[0].status for page in PAGES if page.url in answers}
    assert statuses == {page.url: page.status for page in PAGES}


@pytest.mark.parametrize("page", [page for page in PAGES if page.text and page.status == 200 and not page.claims],
                         ids=lambda page: page.url)  # fmt: skip
def test_a_page_decodes_by_its_charset_to_its_text(page: Page, answers: dict[str, Exchange]) -> None:
    response, body = decode(answers[page.url])
    text = (WRITTEN / f"{page.text}.html").read_text("utf-8")
    for old, new in page.edits:
        text = text.replace(old, new)
    assert text in body.decode(page.charset)
    assert (f"charset={page.charset}" in (response.getheader("Content-Type") or "")) == (page.declared == "header")


def test_what_robots_txt_forbids_is_not_there(answers: dict[str, Exchange]) -> None:
    assert DISALLOWED.url not in answers
    assert DISALLOWED.url.encode() in decode(answers["http://blog.demo.invalid/"])[1]


def test_documentation_of_the_package_is_there(answers: dict[str, Exchange]) -> None:
    body = decode(answers["http://packages.demo.invalid/click/core.Context.html"])[1].decode()
    assert "<main><article>" in body
    assert "<code>Context.invoke</code>" in body


def test_all_content_codings_and_framings_occur(answers: dict[str, Exchange]) -> None:
    heads = [decode(exchange)[0] for exchange in answers.values()]
    assert {head.getheader("Content-Encoding") for head in heads} == {None, "gzip", "deflate", "br"}
    assert {head.getheader("Transfer-Encoding") for head in heads} == {None, "chunked"}


def test_records_are_one_info_per_archive_and_pairs_with_their_own_ids(crawled: list[Path]) -> None:
    kinds: Counter[str] = Counter()
    ids = set()
    dates = []
    for path in crawled:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                kinds[record.rec_type] += 1
                ids.add(record.rec_headers.get_header("WARC-Record-ID"))
                dates.append(record.rec_headers.get_header("WARC-Date"))
    assert kinds["warcinfo"] == 3
    assert kinds["request"] == kinds["response"]
    assert len(ids) == kinds.total()
    assert min(dates) == "2024-01-01T00:00:00Z"


def test_archives_are_of_comparable_size(crawled: list[Path]) -> None:
    sizes = [path.stat().st_size for path in crawled]
    assert max(sizes) < 2 * min(sizes)


def test_a_second_crawl_gives_the_same_bytes(crawled: list[Path], tmp_path: Path) -> None:
    again = small_crawl(tmp_path)
    assert [path.name for path in again] == ["demo-00000.warc.gz", "demo-00001.warc.gz", "demo-00002.warc.gz"]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in crawled]


def test_a_finished_crawl_is_reused(crawled: list[Path]) -> None:
    stamps = [path.stat().st_mtime_ns for path in crawled]
    assert small_crawl(crawled[0].parent) == crawled
    assert [path.stat().st_mtime_ns for path in crawled] == stamps


def test_a_finished_crawl_of_other_packages_is_refused(crawled: list[Path]) -> None:
    with pytest.raises(InputError, match="other arguments"):
        small_crawl(crawled[0].parent, archives=4)


def marked(folder: Path, made_from: dict[str, str]) -> None:
    """A folder that holds a finished crawl of one empty archive."""
    (folder / "demo-00000.warc.gz").touch()
    wanted = {"packages": ["click"], "projects": False, "archives": 1, "max_requests": 20_000}
    marker = {"wanted": wanted, "made_from": made_from, "responses": 1, "archives": {"demo-00000.warc.gz": 0}}
    (folder / MARKER).write_text(json.dumps(marker), "utf-8")


def test_a_crawl_made_from_other_versions_is_reused_and_says_so(tmp_path: Path) -> None:
    marked(tmp_path, {"python": "0"})
    lines: list[str] = []
    make_crawl(tmp_path, packages=("click",), projects=False, archives=1, on_progress=lines.append)
    assert "have changed" in lines[0]
    assert "1 responses" in lines[1]


def test_a_crawl_with_a_changed_archive_is_refused(tmp_path: Path) -> None:
    marked(tmp_path, {})
    (tmp_path / "demo-00000.warc.gz").write_bytes(b"x")
    with pytest.raises(InputError, match="demo-00000"):
        make_crawl(tmp_path, packages=("click",), projects=False, archives=1)


def test_the_command_wants_one_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.soak
def test_the_whole_crawl_leaves_a_million_tokens_after_gophers_rules(tmp_path: Path) -> None:
    make_crawl(tmp_path)
    source = Warc(paths=(str(tmp_path),))
    units = source.split(list_files(str(tmp_path)), group_bytes=1, split_bytes=1 << 40)
    pages = [page for unit in units for page in _pages(source, unit)]
    texts = {extract_plain_text(page, main_content=True) for page in pages}
    batch = documents(*sorted(texts))
    kept = pa.scalar(True)
    for rules in (GopherQuality(), GopherRepetition()):
        kept = pc.and_(kept, first_failure(rules.measure(batch), rules.rules(), len(texts)).is_null())
    assert (
        pc.sum(pc.binary_length(batch.column("text").filter(kept))).as_py() > 5_000_000
    )  # 4.2 bytes a token, and more


def _pages(source: Warc, unit: tuple[Piece, ...]) -> list[str]:
    batches = list(source.read(unit, "web", ReadTally()))
    return [bytes.decode(one, "utf-8", "replace") for batch in batches for one in batch.column("content").to_pylist()]
