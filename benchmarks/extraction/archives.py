"""What our reader, warcio and fastwarc find in the same archives, and how fast.

    python -m benchmarks.extraction.archives ARCHIVE_OR_FOLDER … [--speed ARCHIVE …] [--repeat 3] [--json FILE]

Prints each file in which the readers count other records, types or HTML pages with status 200, with the types and the
first fault. Then MB/s of decoded response bodies and records/s, per CPU second, because the machine may be shared (best
of `--repeat`, one process, the readers in turn). In the JSON file: `files` (their number), `differences` (a list with
`file`, `records`, `warcio`, `fastwarc`, `types` and `faults`) and `speed` (reader -> `mb_per_s`, `records_per_s`,
`records`, `body_mb`). The type "(pages)" is HTML pages with status 200.
"""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from rich.console import Console
from rich.table import Table
from warcio.archiveiterator import ArchiveIterator

from benchmarks.figures import command_line, empty_table, write_json
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
        others = {name: {"types": dict(types), "errors": errors} for name, (types, errors) in theirs.items()}
        rows.append(
            {"file": path.name, "records": mine.total() - mine[PAGES], "types": dict(mine), "faults": faults, **others}
        )
    return rows


def show_differences(rows: list[dict[str, Any]], files: int, console: Console) -> None:
    table = Table(title=f"{len(rows)} of {files} files read otherwise than by warcio or fastwarc", show_lines=True)
    for column in ("file", "ours", "warcio", "fastwarc"):
        table.add_column(column, overflow="fold")
    for row in rows:
        cells = [_cell(row["types"], row["faults"])]
        cells += [_cell(row[name]["types"], row[name]["errors"]) for name in ("warcio", "fastwarc")]
        table.add_row(row["file"], *cells)
    console.print(table)


def _cell(types: dict[str, int], errors: list[str]) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in sorted(types.items()))
    return f"{sum(types.values()) - types.get(PAGES, 0)}: {counts}" + (
        f"\n{len(errors)} faults, {errors[0][:110]}" if errors else ""
    )


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


READERS: dict[str, Callable[[Path], tuple[int, int]]] = {
    "ours": read_ours,
    "warcio": read_warcio,
    "fastwarc": read_fastwarc,
}


def speed(paths: list[Path], repeat: int) -> dict[str, dict[str, float]]:
    """Ours also makes Arrow batches with ids and dates; the others only give bodies."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(repeat):
        for name, reader in READERS.items():
            start = time.process_time()
            counts = [reader(path) for path in paths]
            seconds = time.process_time() - start
            records = sum(r for r, _ in counts)
            size = sum(s for _, s in counts)
            figures = {
                "mb_per_s": size / 1e6 / seconds,
                "records_per_s": records / seconds,
                "records": records,
                "body_mb": size / 1e6,
            }
            if name not in best or figures["mb_per_s"] > best[name]["mb_per_s"]:
                best[name] = figures
    return best


def show_speed(figures: dict[str, dict[str, float]], console: Console) -> None:
    title = "Response bodies decoded, per CPU second"
    table = empty_table(title, "reader", "MB/s", "records/s", "records", "ours, times as fast")
    for name, row in figures.items():
        ratio = figures["ours"]["mb_per_s"] / row["mb_per_s"]
        cells = (f"{row['mb_per_s']:.0f}", f"{row['records_per_s']:.0f}", f"{row['records']:.0f}", f"{ratio:.2f}")
        table.add_row(name, *cells)
    console.print(table)


def _archives(paths: list[Path]) -> list[Path]:
    groups = [sorted(path.iterdir()) if path.is_dir() else [path] for path in paths]
    return [path for group in groups for path in group if any(part in path.name for part in (".warc", ".arc", ".wacz"))]


def main() -> None:
    parser = command_line("extraction.archives", __doc__)
    parser.add_argument("archives", nargs="*", type=Path)
    parser.add_argument("--speed", nargs="*", type=Path, default=[])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=150)
    result: dict[str, Any] = {}
    if paths := _archives(options.archives):
        result |= {"files": len(paths), "differences": differences(paths)}
        show_differences(result["differences"], len(paths), console)
    if timed := _archives(options.speed):
        result["speed"] = speed(timed, options.repeat)
        show_speed(result["speed"], console)
    write_json(result, options.json)


if __name__ == "__main__":
    main()
