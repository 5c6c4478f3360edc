"""Fetches single records of a crawl, by host or language, into WARC files: each record is a gzip member of its own,
and members one after another are a WARC file."""

import asyncio
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq

from curation.core.wording import counted, size
from curation.sources.commoncrawl.client import BusyServerError, CrawlClient, FileGoneError
from curation.sources.commoncrawl.courtesy import each
from curation.sources.commoncrawl.crawl_files import CrawlFiles
from curation.sources.commoncrawl.download import FetchedFile, gzip_members
from curation.sources.commoncrawl.fetch import Fetch, FetchFolder, OnFile, fetch_folder
from curation.sources.commoncrawl.index import CrawlIndex, CrawlSelection
from curation.sources.commoncrawl.path_lists import CrawlPart
from curation.sources.read_ahead import Raw

UNIT = 64 << 20  # bytes of a file of records, or more by its last ones
UNIT_REQUESTS = 2000
MAX_REQUEST = 8 << 20  # bytes of neighbouring records that are asked for at once
Ask = Callable[[str], None]  # is told what is about to be read, and raises where it shall not


@dataclass(frozen=True)
class RecordSpan:
    """Neighbouring records: bytes [start, stop) of a file."""

    file: str
    start: int
    stop: int
    records: int


def fetch_records(
    files: CrawlFiles,
    part: CrawlPart,
    selection: CrawlSelection,
    output: str,
    ask: Ask,
    on_file: OnFile = lambda fetch: None,
) -> Fetch:
    """The records of a selection that a part of the crawl's index names. `ask` is called before the index is searched,
    and before the records are fetched. Raises as `fetch_files`."""
    place = json.dumps([files.client.courtesy.base, asdict(part), asdict(selection)])
    label = f"{part.crawl.replace('/', '-')}-{selection.label}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
    fetch = Fetch(0)
    with fetch_folder(output) as folder:
        matches = _matches(files, part, selection, folder.work / f"_matches.{label}", ask)
        _ask_for(matches, ask)
        fetch.files = sum(1 for _ in _units(_spans(matches)))
        for number, unit in enumerate(_units(_spans(matches))):
            name = f"{label}-{number:05d}.warc.gz"
            if name in folder.there:
                fetch.there += 1
                continue
            asyncio.run(_fetch_unit(files.client, unit, name, folder, fetch))
            on_file(fetch)
    return fetch


def _ask_for(matches: Iterable[Path], ask: Ask) -> None:
    """Tells how many records there are, if there are any."""
    requests = 0
    records = 0
    stored = 0
    for span in _spans(matches):
        requests += 1
        records += span.records
        stored += span.stop - span.start
    if requests:
        ask(f"fetch {counted(records, 'record')}, {size(stored)}, with {counted(requests, 'request')}")


def _matches(files: CrawlFiles, part: CrawlPart, selection: CrawlSelection, place: Path, ask: Ask) -> list[Path]:
    """What each file of the index names, on this machine; an earlier call's is not searched for again."""
    done = place / "done"
    if not done.exists():
        paths = part.paths(files.client)
        index = CrawlIndex(files, paths)
        holding, bytes_read = index.holding(selection)
        if holding:
            ask(f"search {len(holding):,} of {counted(len(paths), 'file')} of the index, about {size(bytes_read)}")
        place.mkdir(exist_ok=True)
        for path in holding:
            local = place / f"{paths.index(path):05d}.parquet"
            if not local.exists():
                index.write_matches(path, selection, local)
        done.touch()
    return sorted(place.glob("[0-9]*.parquet"))


def _spans(matches: Iterable[Path]) -> Iterator[RecordSpan]:
    """Records that stand one behind another become one."""
    last: RecordSpan | None = None
    for file, start, length in (row for path in matches for row in _rows(path)):
        stop = start + length
        if last and last.file == file and last.stop == start and stop - last.start <= MAX_REQUEST:
            last = RecordSpan(file, last.start, stop, last.records + 1)
            continue
        if last:
            yield last
        last = RecordSpan(file, start, stop, 1)
    if last:
        yield last


def _rows(path: Path) -> Iterator[tuple[str, int, int]]:
    with pq.ParquetFile(path) as table:
        for batch in table.iter_batches():
            yield from zip(*(batch[name].to_pylist() for name in ("file", "start", "length")), strict=True)


def _units(spans: Iterable[RecordSpan]) -> Iterator[list[RecordSpan]]:
    """In order, each of about UNIT bytes."""
    unit: list[RecordSpan] = []
    stored = 0
    for span in spans:
        unit.append(span)
        stored += span.stop - span.start
        if stored >= UNIT or len(unit) == UNIT_REQUESTS:
            yield unit
            unit = []
            stored = 0
    if unit:
        yield unit


async def _fetch_unit(
    client: CrawlClient, unit: list[RecordSpan], name: str, folder: FetchFolder, fetch: Fetch
) -> None:
    """A file of the unit's records; those that cannot be had are named, and left out."""
    bodies: dict[RecordSpan, bytes] = {}
    failed: dict[str, str] = {}

    async def one(span: RecordSpan) -> None:
        try:
            body = await client.read_range(span.file, span.start, span.stop)
            _check(body, span.records)
        except (BusyServerError, FileGoneError) as error:
            failed[f"{span.file}@{span.start}"] = str(error)
        else:
            bodies[span] = body

    await each(unit, one)
    content = b"".join(bodies[span] for span in unit if span in bodies)
    records = sum(span.records for span in bodies)
    digest = hashlib.sha256(content).hexdigest()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    file = FetchedFile(name, client.url(""), len(content), "", digest, records, now)
    local = folder.work / f"_partial.{name}"
    failed = dict(sorted(failed.items()))  # in whatever order they were asked for
    local.write_bytes(content)
    folder.publish(local, name, {**asdict(file), "failed": failed})
    fetch.fetched += 1
    fetch.bytes += file.size
    fetch.records += records
    fetch.failed.update(failed)


def _check(body: bytes, records: int) -> None:
    """Raises BusyServerError where the bytes are not so many records."""
    members = gzip_members(Raw("", io.BytesIO(body)))
    begins = zlib.decompressobj(wbits=31).decompress(body, 5)
    if members != records or begins != b"WARC/":
        raise BusyServerError(f"{counted(members, 'gzip member')}, not the {counted(records, 'record')} of the index")
