"""Takes the first look at a file: its beginning, decompressed, as text, as XML, as rows of JSON, or as an archive."""

import io
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

from curation.core import storage
from curation.core.errors import InputError
from curation.core.file_start import FileMember, FileStart, XmlRoot
from curation.core.names import system_name
from curation.core.protocols import ReadTally, Source
from curation.sources.first_rows import rows_in
from curation.sources.frames import LONG_WINDOW
from curation.sources.inflate import container, spans
from curation.sources.inflation import Inflation
from curation.sources.json_form import BOM
from curation.sources.plain_text import file_text
from curation.sources.read_ahead import Raw, Window, open_raw
from curation.sources.tar_members import TarDamageError, TarMembers, is_tar
from curation.sources.zip_directory import zip_entries
from curation.sources.zips import ZIP, ZipMember

START = 1 << 18  # bytes of a file's beginning, decompressed
COPIED = 4 << 20  # bytes of a larger file, decompressed, that are read for a look
LONG_START = 4 << 20  # the same of a tar archive, and of JSON whose first object is longer
MEMBERS = 64  # files of an archive that are looked at
MEMBER_START = 1 << 16  # bytes of each
MARKUP = 1 << 16  # characters in which the first element of XML begins
_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?[\s\[]{0,99}\{\s{0,99}\"")
_TAG = re.compile(r"<([A-Za-z_][\w.:-]{0,99})((?:\s[^<>]{0,9999})?)>")
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^<>\[\]]{0,4000}", re.IGNORECASE)


def file_start(path: str) -> FileStart:
    """The beginning of a file or a folder. Raises InputError for a file that is missing, or empty where it is read."""
    if "://" not in path and Path(system_name(path)).is_dir():
        return FileStart(path=path, folder=True)
    with closing(open_raw(path)) as raw:
        window = Window(raw)
        head = window.at(0, 64)
        if head.startswith(ZIP):
            return FileStart(path=path, raw=head, archive="zip", members=_listed(_zip_members(path)))
        content = _inflated(window, START)
    if not content.strip():
        raise InputError(f"{path} has nothing to read: it is empty, or damaged from its beginning")
    if is_tar(content):
        with closing(open_raw(path)) as raw:
            held = _inflated(Window(raw), LONG_START)
        archive = TarMembers(io.BytesIO(held))
        members = _listed(_tar_members(archive, path))
        comment = archive.comment
        return FileStart(path=path, raw=head, content=content, archive="tar", members=members, comment=comment)
    text = file_text(_whole_lines(content), ReadTally())
    is_object = _OBJECT.match(content) is not None
    if is_object and len(content) == START and not rows_in(content):  # the first one is longer
        with closing(open_raw(path)) as raw:
            content = _inflated(Window(raw), LONG_START)
    json = content.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")
    return FileStart(
        path=path,
        raw=head,
        content=content,
        text=text,
        root=xml_root(text or ""),
        json=is_object,
        rows=rows_in(content) if json else (),
    )


@contextmanager
def seen_part(source: Source, path: str) -> Iterator[str]:
    """The file from which a source takes its first documents for a look: of a large one that it would read to its end,
    a copy of the beginning."""
    content = b""
    if source.whole_files:
        with closing(open_raw(path)) as raw:
            content = _inflated(Window(raw), COPIED)
    if len(content) < COPIED or file_text(content, ReadTally()) is None:  # in an archive of 7-Zip there is none
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "beginning")
        copy.write_bytes(content[: content.rfind(b"\n") + 1])
        yield str(copy)


def xml_root(text: str) -> XmlRoot | None:
    """The first element of XML or HTML, behind its declaration, comments and document type; None if there is none."""
    at = 0
    doctype = ""
    text = text[:MARKUP].lstrip("\ufeff")
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        if text.startswith("<?", at):
            end = text.find("?>", at) + 2
        elif text.startswith("<!--", at):
            end = text.find("-->", at) + 3
        elif stated := _DOCTYPE.match(text, at):
            doctype = stated[0]
            closing_mark = "]" if text[stated.end() : stated.end() + 1] == "[" else ""
            end = text.find(">", text.find(closing_mark, stated.end())) + 1
        else:
            tag = _TAG.match(text, at)
            return XmlRoot(tag[1].rpartition(":")[2], tag[2], doctype, tag.end()) if tag else None
        if end <= at:
            return None
        at = end


def _inflated(window: Window, most: int) -> bytes:
    """The first bytes of the content, decompressed."""
    codec = container(window)
    if codec and codec.name == "zstd":
        codec = codec._replace(member=partial(codec.member, max_window=LONG_WINDOW))
    held = bytearray()
    for span in spans(window, codec, lambda *_: None):
        held += span.data
        if len(held) >= most:
            break
    return bytes(held[:most])


def _whole_lines(content: bytes) -> bytes:
    """The lines that are whole, so that no character is cut; of one long line the words or tags, if it has some."""
    if len(content) < START:
        return content
    ends = (content.rfind(marks) + 1 for marks in (b"\n", b" ", b">"))
    return content[: next((end for end in ends if end > START // 2), START)]


def _listed(members: Iterator[FileMember]) -> tuple[FileMember, ...]:
    return tuple(islice(members, MEMBERS))


def _tar_members(archive: TarMembers, path: str) -> Iterator[FileMember]:
    """The files of an archive, as far as its bytes are there."""
    try:
        for member in archive:
            if member.kind == "file":
                yield _member(member.name, archive.content.read, path)
    except TarDamageError:
        return


def _zip_members(path: str) -> Iterator[FileMember]:
    """None of a zip without a directory that can be read."""
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as stream:
        inflation = Inflation(stream.size)
        try:
            for entry in zip_entries(stream):
                if entry.name is not None and not entry.is_folder:
                    raw = ZipMember(f"{path}#{entry.name}", stream, entry, lambda *_: None, inflation)
                    yield _member(entry.name, raw.read, path)
        except ValueError:
            return


def _member(name: str, read: Callable[[int], bytes], path: str) -> FileMember:
    """A file by its first bytes, which are decompressed where they are compressed."""
    packed = read(MEMBER_START)
    start = _inflated(Window(Raw(path, io.BytesIO(packed))), MEMBER_START)
    files: tuple[str, ...] = ()
    if is_tar(start):
        files = tuple(member.name for member in _listed(_tar_members(TarMembers(io.BytesIO(start)), path)))
    return FileMember(name, start, files)
