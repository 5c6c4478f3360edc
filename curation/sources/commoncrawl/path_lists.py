"""The files of a crawl, as its path lists name them.

    commoncrawl:CC-MAIN-2024-10/0:100          the first hundred WARC files
    commoncrawl:CC-MAIN-2024-10/wet/0:100      of another kind

Crawls are CC-MAIN-…, CC-SUPPLEMENTAL-… and CC-NEWS/YEAR/MONTH. The kinds are `warc`, `wet`, `wat` and `robotstxt`, the
answers to requests for robots.txt.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from fsspec.asyn import get_loop, sync

from curation.core.errors import InputError, UserError
from curation.sources.commoncrawl.client import CrawlClient

SCHEME = "commoncrawl"
KINDS = ("warc", "wet", "wat", "robotstxt")
INDEX = "cc-index-table"
MAX_LIST = 64 << 20  # bytes of a path list as stored
MAX_PATHS = 1_000_000  # in a list; the largest has half as many
MAX_PATH = 1024  # characters
_PIECE = 1 << 20  # bytes that are unpacked at a time
_CRAWL = r"CC-(?:MAIN|SUPPLEMENTAL)-[0-9-]+|CC-NEWS/[0-9]{4}/[0-9]{2}"
_NAME = re.compile(rf"{SCHEME}:({_CRAWL})/(?:(\w+)/)?(\d+:\d+)")
_SLICE = re.compile(r"(\d{1,9}):(\d{1,9})")
_PATH = re.compile(r"(?:[\w.=+-]+/)+[A-Za-z0-9][\w.=+-]*", re.ASCII)


@dataclass(frozen=True)
class CrawlPart:
    """Files [first, stop) of one kind of a crawl; all of them unless stated."""

    crawl: str
    kind: str
    first: int = 0
    stop: int | None = None

    def paths(self, client: CrawlClient) -> list[str]:
        """In the order of the crawl's list. Raises InputError for a crawl that is not there, and past its end."""
        listed = path_list(client, self.crawl, self.kind)
        if self.stop is not None and self.stop > len(listed):
            raise InputError(
                f"{self.crawl} has {len(listed):,} {self.kind} files, not {self.stop:,}; give part of 0:{len(listed)}"
            )
        return listed[self.first : self.stop]


def crawl_part(crawl: str, kind: str, files: str) -> CrawlPart:
    """Raises UserError for a crawl, a kind or a range FIRST:STOP that cannot be."""
    if kind not in KINDS:
        raise UserError(f"{kind!r} is no kind of files; give one of {', '.join(KINDS)}")
    return _part(crawl, kind, files)


def index_part(crawl: str, files: str | None = None) -> CrawlPart:
    """Files of the crawl's index, all of them by default. Raises UserError as `crawl_part`."""
    return _part(crawl, INDEX, files)


def _part(crawl: str, kind: str, files: str | None) -> CrawlPart:
    if not re.fullmatch(_CRAWL, crawl):
        raise UserError(f"no crawl is named {crawl!r}; write it as CC-MAIN-2024-10")
    if files is None:
        return CrawlPart(crawl, kind)
    ends = _SLICE.fullmatch(files)
    if ends is None or not int(ends[1]) < int(ends[2]):
        raise UserError(f"{files!r} names no files; 0:100 are the first hundred")
    return CrawlPart(crawl, kind, int(ends[1]), int(ends[2]))


def named_part(pattern: str) -> CrawlPart:
    """What `commoncrawl:CRAWL/KIND/FIRST:STOP` names. Raises UserError for what cannot be."""
    match = _NAME.fullmatch(pattern)
    if match is None:
        raise UserError(f"{pattern} names no files of a crawl; write {SCHEME}:CC-MAIN-2024-10/0:100, or …/wet/0:100")
    return crawl_part(match[1], match[2] or "warc", match[3])


def path_list(client: CrawlClient, crawl: str, kind: str) -> list[str]:
    """All files of a kind; of the index, those of its subset `warc`. Raises InputError where there is no such crawl,
    or its list is damaged."""
    place = f"crawl-data/{crawl}/{kind}.paths.gz"
    packed: bytes = sync(get_loop(), client.read, place, MAX_LIST)
    paths: dict[str, str] = {}  # by their last part
    try:
        for path in _lines(packed):
            if not _PATH.fullmatch(path) or ".." in path:
                raise ValueError(f"it names {path!r}")
            if kind == INDEX and "/subset=warc/" not in path:
                continue
            if paths.setdefault(path.rpartition("/")[2], path) is not path:
                raise ValueError(f"it names a file twice, {path}")
            if len(paths) > MAX_PATHS:
                raise ValueError(f"it names more than {MAX_PATHS:,} files")
    except zlib.error as error:
        raise InputError(f"{client.url(place)} is damaged: {error}") from error
    except ValueError as error:
        raise InputError(f"{client.url(place)} is no list of files: {error}") from error
    if not paths:
        raise InputError(f"{client.url(place)} is no list of files: it is empty")
    return list(paths.values())


def _lines(packed: bytes) -> Iterator[str]:
    """The lines of a gzip member, without blank ones. Raises zlib.error, and ValueError for a line of more than
    MAX_PATH characters and where the member is cut short."""
    inflater = zlib.decompressobj(wbits=31)
    rest = b""
    while not inflater.eof:
        piece = inflater.decompress(packed, _PIECE)
        packed = inflater.unconsumed_tail
        if not (piece or packed or inflater.eof):
            raise ValueError("it is cut short")
        *lines, rest = (rest + piece).split(b"\n")
        for line in (*lines, rest) if inflater.eof else lines:
            if len(line) > MAX_PATH:
                raise ValueError(f"a line has more than {MAX_PATH:,} characters")
            if line.strip():
                yield line.strip().decode("utf-8", "replace")
        if len(rest) > MAX_PATH:
            raise ValueError(f"a line has more than {MAX_PATH:,} characters")
