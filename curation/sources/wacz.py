"""Opens an archive: the file itself or, for WACZ, each WARC inside the zip file.

Source: Webrecorder 2021, "Web Archive Collection Zipped" (WACZ 1.1.1). Its index and page list are not used, because
the records say the same. A WACZ without a readable directory is searched for the records stored in it.
"""

import zipfile
from collections.abc import Iterator
from contextlib import closing

from curation.core import storage
from curation.sources.archive import Record, records
from curation.sources.inflate import container, spans
from curation.sources.lost_bytes import LostBytes, OnLost
from curation.sources.read_ahead import Raw, Window, open_raw
from curation.sources.record_start import RECORD_START
from curation.sources.zips import OnFault, ZipMember, content_offset, is_zip, listed_members

ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")


def read_archive(
    path: str, on_fault: OnFault, *, max_block: int, on_lost: OnLost = lambda *_: None
) -> Iterator[tuple[str, Record]]:
    """(origin, record) of every record in a WARC, ARC or WACZ file; origin is `path`, or `path#member` in a WACZ.

    Offsets are those of `archive.Record`, within the origin. `on_lost` is told at the end of each file how many of its
    bytes could not be read. Raises InputError if there is no such file.
    """
    members = _members(path, on_fault) if is_zip(path) else None
    if members is None:
        with closing(open_raw(path)) as raw:
            yield from _records(path, raw, on_fault, max_block, storage.size(path), on_lost)
        return
    fs, inner = storage.resolve(path)
    for member in members:
        with fs.open_input_file(inner) as stream:
            origin = f"{path}#{member.filename}"
            raw = ZipMember(origin, stream, member, on_fault)
            yield from _records(origin, raw, on_fault, max_block, member.file_size, on_lost)


def _records(
    origin: str, raw: Raw, on_fault: OnFault, max_block: int, size: int, on_lost: OnLost
) -> Iterator[tuple[str, Record]]:
    lost = LostBytes(size, on_lost)

    def report(offset: int, error: str) -> None:
        on_fault(origin, offset, error)
        lost.fault(offset, error)

    window = Window(raw)
    codec = container(window, RECORD_START)
    inflated = spans(window, codec, report, RECORD_START, lost.passed)
    for record in records(inflated, report, max_block=max_block, total=size if codec is None else None):
        lost.record(record.offset)
        yield origin, record
    lost.end()


def _members(path: str, on_fault: OnFault) -> list[zipfile.ZipInfo] | None:
    """The archives in a WACZ, in its order; None if its directory cannot be read."""
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as stream:
        try:
            listed = listed_members(stream)
        except ValueError as error:
            on_fault(path, 0, f"WACZ without a readable directory ({error}); searched for stored records")
            return None
        archives = [member for member in listed if member.filename.lower().endswith(ARCHIVES)]
        if archives and not any(content_offset(stream, member) for member in archives):
            on_fault(path, 0, "WACZ whose directory gives wrong offsets only; searched for stored records")
            return None
    return archives
