"""Writes the pages of web archives to new archives, under distinct URLs, until there are enough."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from curation.core.input_files import list_files

Page = tuple[str, str, bytes]  # url, date, HTTP response as stored


@dataclass(frozen=True)
class Archives:
    """A folder of archives; `megabytes` is the size of the HTTP responses in them."""

    folder: Path
    pages: int
    megabytes: float


def pages_of(patterns: Sequence[str]) -> Iterator[Page]:
    """The responses in archives, each pattern being a file, a folder or a glob."""
    for file in (file for pattern in patterns for file in list_files(pattern)):
        with Path(file.path).open("rb") as stream:
            for record in ArchiveIterator(stream, no_record_parse=True):
                if record.rec_type == "response":
                    headers = record.rec_headers
                    url = headers.get_header("WARC-Target-URI")
                    date = headers.get_header("WARC-Date")
                    yield url, date, record.raw_stream.read()


def write_archives(folder: Path, pages: Sequence[Page], wanted: int, files: int) -> Archives:
    """Deals the pages out to the files in turn, over and over; copy k of a page has k in its URL."""
    folder.mkdir()
    size = 0
    with ExitStack() as stack:
        outputs = [stack.enter_context((folder / f"{n:05d}.warc.gz").open("wb")) for n in range(files)]
        for number in range(wanted):
            copy, page = divmod(number, len(pages))
            url, date, block = pages[page]
            size += len(block)
            outputs[number % files].write(gzip.compress(_record(_copied(url, copy), date, block, number), 6))
    return Archives(folder, wanted, size / 1e6)


def _copied(url: str, copy: int) -> str:
    return f"{url}{'&' if '?' in url else '?'}copy={copy}"


def _record(url: str, date: str, block: bytes, number: int) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n"
        f"WARC-Date: {date}\r\nWARC-Target-URI: {url}\r\nWARC-Identified-Payload-Type: text/html\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"
