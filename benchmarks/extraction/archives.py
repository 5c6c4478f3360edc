"""What our reader, warcio and fastwarc find in the same archives, and how fast.

Each file in which the readers count other records, types or HTML pages with status 200 is listed, with the types and
the first fault. Then MB/s of decoded response bodies per CPU second, one process, the readers in turn.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator

from benchmarks.case import Case, Figures, over
from curation.core.protocols import Piece, ReadTally
from curation.sources.wacz import read_archive
from curation.sources.warc import Warc

MAX_BLOCK = 32 << 20
PAGES = "(pages)"  # among the types: HTML with status 200
FASTWARC_TYPES = {
    int(getattr(WarcRecordType, name)): name
    for name in (
        *("warcinfo", "response", "resource", "request", "metadata"),
        *("revisit", "conversion", "continuation", "unknown"),
    )
}


def ours(path: Path) -> tuple[Counter[str], list[str]]:
    faults: list[str] = []
    records = read_archive(str(path), lambda _, at, error: faults.append(f"at {at}: {error}"), max_block=MAX_BLOCK)
    types = Counter(record.kind or "(none)" for _, record in records)
    types[PAGES] = sum(map(len, Warc(paths=()).read((Piece(str(path)),), "benchmark", ReadTally())))
    return types, faults


def _is_page(status: str, media: str | None) -> bool:
    return "200" in status.split()[:2] and "html" in (media or "").lower()


def warcio(path: Path) -> tuple[Counter[str], list[str]]:
    types: Counter[str] = Counter()
    try:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, verify_http=False):
                kind = (record.rec_type or "").strip() or "(none)"
                http = record.http_headers
                types[kind] += 1
                if kind == "response" and http:
                    types[PAGES] += _is_page(http.statusline, http.get_header("content-type"))
                record.content_stream().read()  # some faults only show here
    except Exception as error:  # any exception ends that reader, and its type is a result
        return types, [f"{type(error).__name__}: {' '.join(str(error).split())}"]
    return types, []


def fastwarc(path: Path) -> tuple[Counter[str], list[str]]:
    types: Counter[str] = Counter()
    try:
        for record in FastIterator(str(path), parse_http=True):
            kind = FASTWARC_TYPES[int(record.record_type)]
            http = record.http_headers
            types[kind] += 1
            if kind == "response" and http:
                types[PAGES] += _is_page(str(http.status_code), http.get("Content-Type"))
    except Exception as error:  # as above
        return types, [f"{type(error).__name__}: {error}"]
    return types, []


def differences(paths: list[Path]) -> list[dict[str, Any]]:
    rows = []
    for path in paths:
        mine, faults = ours(path)
        theirs = {"warcio": warcio(path), "fastwarc": fastwarc(path)}
        # fastwarc calls every type that it does not know "unknown", so types are compared only with warcio's.
        fast = theirs["fastwarc"][0]
        if mine == theirs["warcio"][0] and mine.total() == fast.total() and mine[PAGES] == fast[PAGES]:
            continue
        sides = {"ours": (mine, faults), **theirs}
        found = {name: {"types": types, "errors": errors} for name, (types, errors) in sides.items()}
        rows.append({"file": path.name, **found})
    return rows


def read_ours(path: Path) -> tuple[int, int]:
    tally = ReadTally()
    rows = size = 0
    for batch in Warc(paths=()).read((Piece(str(path)),), "benchmark", tally):
        rows += len(batch)
        size += batch.column("content").nbytes
    return rows + sum(tally.records.values()), size


def read_warcio(path: Path) -> tuple[int, int]:
    records = size = 0
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream):
            records += 1
            if record.rec_type == "response":
                size += len(record.content_stream().read())
    return records, size


def read_fastwarc(path: Path) -> tuple[int, int]:
    records = size = 0
    for record in FastIterator(str(path), parse_http=True):
        records += 1
        if record.record_type == WarcRecordType.response:
            size += len(record.reader.read())
    return records, size


def _archives(paths: list[Path]) -> list[Path]:
    groups = [sorted(path.iterdir()) if path.is_dir() else [path] for path in paths]
    return [path for group in groups for path in group if any(part in path.name for part in (".warc", ".arc", ".wacz"))]


def same_size(ours: list[tuple[int, int]], theirs: list[tuple[int, int]]) -> str:
    """Ours also leaves out what is no page, so only the number of records is compared."""
    counts = [sum(records for records, _ in side) for side in (ours, theirs)]
    return f"{counts[0]:,} and {counts[1]:,} records"


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    if paths := _archives(options.archives):
        rows = {row.pop("file"): {name: _cell(one) for name, one in row.items()} for row in differences(paths)}
        yield Figures(f"{len(rows)} of {len(paths)} files read otherwise than by warcio or fastwarc", rows)
    timed = _archives(options.speed)
    size = sum(found[1] for found in map(read_ours, timed)) / 1e6
    for name, reader in {"warcio": read_warcio, "fastwarc": read_fastwarc}.items() if timed else ():
        yield Case(
            name="response bodies decoded",
            ours=over(read_ours, timed),  # which also makes Arrow batches with ids and dates
            peer=over(reader, timed),
            called=name,
            peer_rounds=3,
            agree=same_size,
            amounts={"MB": size},
            peer_amounts={"MB": sum(bodies for _, bodies in map(reader, timed)) / 1e6},
            packages=("warcio", "fastwarc"),
        )


def _cell(side: dict[str, Any]) -> str:
    types = dict(side["types"])
    pages = types.pop(PAGES, 0)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(types.items()))
    faults = f"; {len(side['errors'])} faults, {side['errors'][0][:110]}" if side["errors"] else ""
    return f"{sum(types.values())}: {counts}; {pages} pages{faults}"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="*", type=Path, help="files or folders to compare what is found in")
    parser.add_argument("--speed", nargs="*", type=Path, default=[], help="archives to time the readers on")
