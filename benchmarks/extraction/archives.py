"""What our reader, warcio and fastwarc find in the same archives, and how fast.

Each file in which the readers count other records, types or HTML pages with status 200 is listed, with the types and
the first fault. Then MB/s of decoded response bodies per CPU second, one process, the readers in turn.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator

from benchmarks.case import Case, Figures, over
from curation.core.protocols import Piece, ReadTally
from curation.sources.wacz import read_archive
from curation.sources.warc import Warc

MAX_BLOCK = 32 << 20
PEER_TYPES = (
    "warcinfo",
    "response",
    "resource",
    "request",
    "metadata",
    "revisit",
    "conversion",
    "continuation",
    "unknown",
)
FASTWARC_TYPES = {int(getattr(WarcRecordType, name)): name for name in PEER_TYPES}


class Found(NamedTuple):
    """Records by type, HTML pages with status 200, bytes of response bodies, and faults. What ends a peer's reader is
    its only fault: any exception does, and its type is a result."""

    types: Counter[str]
    pages: int
    size: int
    faults: list[str]

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.types.items()))
        faults = f"; {len(self.faults)} faults, {self.faults[0][:110]}" if self.faults else ""
        return f"{self.types.total()}: {counts}; {self.pages} pages{faults}"


def ours(path: Path) -> Found:
    faults: list[str] = []
    records = read_archive(str(path), lambda _, at, error: faults.append(f"at {at}: {error}"), max_block=MAX_BLOCK)
    types = Counter(record.kind or "(none)" for _, record in records)
    _, pages, size = read_ours(path)
    return Found(types, pages, size, faults)


def read_ours(path: Path) -> tuple[int, int, int]:
    """Records, pages and bytes of pages, as Arrow batches with ids and dates."""
    tally = ReadTally()
    pages = size = 0
    for batch in Warc(paths=()).read((Piece(str(path)),), "benchmark", tally):
        pages += len(batch)
        size += batch.column("content").nbytes
    return pages + sum(tally.records.values()), pages, size


def warcio(path: Path) -> Found:
    types: Counter[str] = Counter()
    pages = size = 0
    try:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, verify_http=False):
                kind = (record.rec_type or "").strip() or "(none)"
                types[kind] += 1
                body = record.content_stream().read()  # some faults only show here
                http = record.http_headers
                if kind == "response" and http:
                    pages += _is_page(http.statusline, http.get_header("content-type"))
                    size += len(body)
    except Exception as error:
        return Found(types, pages, size, [f"{type(error).__name__}: {' '.join(str(error).split())}"])
    return Found(types, pages, size, [])


def fastwarc(path: Path) -> Found:
    types: Counter[str] = Counter()
    pages = size = 0
    try:
        for record in FastIterator(str(path), parse_http=True):
            kind = FASTWARC_TYPES[int(record.record_type)]
            types[kind] += 1
            http = record.http_headers
            if kind == "response" and http:
                pages += _is_page(str(http.status_code), http.get("Content-Type"))
                size += len(record.reader.read())
    except Exception as error:
        return Found(types, pages, size, [f"{type(error).__name__}: {error}"])
    return Found(types, pages, size, [])


def _is_page(status: str, media: str | None) -> bool:
    return "200" in status.split()[:2] and "html" in (media or "").lower()


PEERS: dict[str, Callable[[Path], Found]] = {"warcio": warcio, "fastwarc": fastwarc}


def differences(paths: list[Path]) -> dict[str, dict[str, Found]]:
    """File -> what each side finds, of files that are not read alike."""
    rows = {}
    for path in paths:
        mine = ours(path)
        theirs = {name: reader(path) for name, reader in PEERS.items()}
        # fastwarc calls every type that it does not know "unknown", so types are compared only with warcio's.
        fast = theirs["fastwarc"]
        alike = mine.types == theirs["warcio"].types and mine.types.total() == fast.types.total()
        if not alike or not mine.pages == fast.pages == theirs["warcio"].pages:
            rows[path.name] = {"ours": mine, **theirs}
    return rows


def _archives(paths: list[Path]) -> list[Path]:
    groups = [sorted(path.iterdir()) if path.is_dir() else [path] for path in paths]
    return [path for group in groups for path in group if any(part in path.name for part in (".warc", ".arc", ".wacz"))]


def both_counts(ours: list[tuple[int, int, int]], theirs: list[Found]) -> str:
    """Ours also leaves out what is no page, so only the number of records is told."""
    return f"{sum(records for records, _, _ in ours):,} and {sum(found.types.total() for found in theirs):,} records"


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    if paths := _archives(options.archives):
        rows = differences(paths)
        yield Figures(f"{len(rows)} of {len(paths)} files read otherwise than by warcio or fastwarc", rows)
    timed = _archives(options.speed)
    for name, reader in PEERS.items() if timed else ():
        yield Case(
            name="response bodies decoded",
            ours=over(read_ours, timed),
            peer=over(reader, timed),
            called=name,
            peer_rounds=3,
            agree=both_counts,
            amounts={"MB": sum(size for _, _, size in map(read_ours, timed)) / 1e6},
            peer_amounts={"MB": sum(found.size for found in map(reader, timed)) / 1e6},
            packages=("warcio", "fastwarc"),
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="*", type=Path, help="files or folders to compare what is found in")
    parser.add_argument("--speed", nargs="*", type=Path, default=[], help="archives to time the readers on")
