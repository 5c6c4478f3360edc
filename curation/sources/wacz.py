"""Opens an archive: the file itself or, for WACZ, each WARC inside the zip file.

Source: Webrecorder 2021, "Web Archive Collection Zipped" (WACZ 1.1.1). Its index and page list are not used, because
the records say the same. A WACZ without a readable directory is searched for the records stored in it.
"""

from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa

from curation.core import storage
from curation.core.names import MAX_NAME
from curation.core.wording import counted
from curation.sources.archive import Record, records
from curation.sources.inflate import container, spans
from curation.sources.inflation import Inflation
from curation.sources.lost_bytes import LostBytes, OnLost
from curation.sources.read_ahead import Window, open_raw
from curation.sources.record_start import RECORD_START
from curation.sources.zip_directory import ZipEntry, zip_entries
from curation.sources.zips import OVERLAP, OnFault, ZipMember, content_offset, is_zip

ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")


def read_archive(
    path: str, on_fault: OnFault, *, max_block: int, on_lost: OnLost = lambda *_: None
) -> Iterator[tuple[str, Record]]:
    """(origin, record) of every record in a WARC, ARC or WACZ file; origin is `path`, or `path#member` in a WACZ.

    Offsets are those of `archive.Record`, within the origin. `on_lost` is told at the end of each file how many of its
    bytes could not be read. Raises InputError if there is no such file.
    """
    if not is_zip(path) or not _has_directory(path, on_fault):
        with closing(open_raw(path)) as raw:
            window = Window(raw)
            yield from _records(path, window, Inflation.of(window), on_fault, max_block, storage.size(path), on_lost)
        return
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as directory:
        inflation = Inflation(directory.size)
        left = directory.size()
        for member in _archives(directory):
            with fs.open_input_file(inner) as stream:
                origin = f"{path}#{member.name}"
                raw = ZipMember(origin, stream, member, on_fault, inflation)
                yield from _records(origin, Window(raw), inflation, on_fault, max_block, member.size, on_lost)
                left -= raw.taken
            if left < 0:
                on_fault(path, 0, f"{OVERLAP}; read up to {member.name}")
                return
            if inflation.over:
                return


def _records(
    origin: str, window: Window, inflation: Inflation, on_fault: OnFault, max_block: int, size: int, on_lost: OnLost
) -> Iterator[tuple[str, Record]]:
    lost = LostBytes(size, on_lost)

    def report(offset: int, error: str) -> None:
        on_fault(origin, offset, error)
        lost.fault(offset, error)

    codec = container(window, RECORD_START)
    inflated = spans(window, codec, report, RECORD_START, lost.passed, inflation)
    for record in records(inflated, report, max_block=max_block, total=size if codec is None else None):
        lost.record(record.offset)
        yield origin, record
    lost.end()


def _has_directory(path: str, on_fault: OnFault) -> bool:
    """Whether the directory of a WACZ can be read, and leads to its archives where it has some."""
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as stream:
        any_archive = found = False
        long = 0
        try:
            for member in zip_entries(stream):
                long += member.name is None
                if _is_archive(member):
                    any_archive = True
                    found = found or content_offset(stream, member) is not None
        except ValueError as error:
            on_fault(path, 0, f"WACZ without a readable directory ({error}); searched for stored records")
            return False
        if long:
            on_fault(path, 0, f"passed over {counted(long, 'file')} with names of more than {MAX_NAME:,} bytes")
        if not any_archive:
            on_fault(path, 0, f"a zip file without archives of the web ({', '.join(ARCHIVES)}) in it")
        if any_archive and not found:
            on_fault(path, 0, "WACZ whose directory gives wrong offsets only; searched for stored records")
        return found or not any_archive


def _archives(stream: pa.NativeFile) -> Iterator[ZipEntry]:
    """The archives in a WACZ, in its order."""
    return filter(_is_archive, zip_entries(stream))


def _is_archive(entry: ZipEntry) -> bool:
    return entry.name is not None and entry.name.lower().endswith(ARCHIVES)
