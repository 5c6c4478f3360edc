"""The members of a tar archive, read once from its beginning; what is held is one header, and what it says of names.

`tarfile` is not used: it keeps every folder, sparse map and attribute in lists, needs quadratic time for attributes,
and takes an archive with a damaged header for one that ends there. Here an archive ends at a block of zeros or at the
end of its bytes, and everything else is damage.

Sources: POSIX.1-2017, pax (ustar and pax interchange format); "Basic Tar Format" of GNU tar's manual.
"""

import io
from collections.abc import Iterator, Mapping
from typing import IO, Literal, NamedTuple, TypeAlias

from curation.core.names import MAX_NAME, name_text

TAR_MARK = b"ustar"
MAX_HEAD = 1 << 20  # bytes of a member's attributes; those of more are passed over
_MARK_AT = 257  # where a tar archive has its mark
_BLOCK = 512
_SKIP = 1 << 20  # bytes that are passed over at a time
_BASE_256 = 0x80, 0xFF  # begin numbers that are bytes, not digits
_PAX = b"xX"
_SHARED = b"g"
_LONG_NAME = b"L"
_LONG_LINK = b"K"
_SPARSE = b"S"
_FILES = (b"0", b"\0", b"7")
_FOLDER = b"5"
_LISTED = b"D"  # a folder and the names in it, by GNU tar
_LINKS = (b"1", b"2")
_EMPTY = (*_LINKS, b"3", b"4", _FOLDER, b"6")  # kinds without bytes of their own, whatever size they state
_WANTED = (b"path", b"size", b"mtime", b"comment")
_GNU = b"ustar "  # the mark of its format, which has a time in digits where others have the first folders of a name
_STAR = b"tar\0"  # the mark of star's, which has times behind these folders
_HOLES = b"GNU.sparse."  # begins the attributes of a file with holes

MemberKind: TypeAlias = Literal["file", "folder", "link", "long_name", "sparse", "not_a_file"]
Attributes: TypeAlias = Mapping[bytes, bytes]


class TarDamageError(ValueError):
    """The rest of an archive cannot be read."""


class TarMember(NamedTuple):
    """What an archive says of a member. `name` is as `names` has it; `size` is what is stored of it, in bytes."""

    name: str
    kind: MemberKind
    size: int
    modified: float  # seconds since 1970; 0 if it is not stated


class _Header(NamedTuple):
    """A header block."""

    name: bytes
    kind: bytes
    size: int
    modified: float
    more: bool  # blocks of a sparse map follow


def is_tar(start: bytes) -> bool:
    """Whether bytes are the beginning of a tar archive. Those of the oldest kind have no mark, but a right sum."""
    marked = start[_MARK_AT : _MARK_AT + len(TAR_MARK)] == TAR_MARK
    return marked or (len(start) >= _BLOCK and _sum_is_right(start[:_BLOCK]))


class TarMembers:
    """Iterates over an archive's members. `content` is the one of the last member; what is left of it is passed over
    with the next. `comment` is stated for all members."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.comment = ""
        self._stream = stream
        self._shared: dict[bytes, bytes] = {}
        self.content = _Content(stream, 0)
        self._padding = 0

    def __iter__(self) -> Iterator[TarMember]:
        """Raises TarDamageError where the archive is damaged."""
        own: dict[bytes, bytes] = {}
        too_long = waiting = False  # for the member that a head is of
        while (header := self._header()) is not None:
            attributes = header.kind in _PAX
            if not attributes and header.kind not in (_SHARED, _LONG_NAME, _LONG_LINK):
                yield self._member(header, self._shared | own, too_long)
                own = {}
                too_long = waiting = False
                continue
            waiting |= header.kind != _SHARED
            self._open(header.size)
            content = self.content.read(header.size) if header.size <= MAX_HEAD else b""
            too_long |= header.size > MAX_HEAD and header.kind != _LONG_LINK
            if header.kind == _LONG_NAME:
                own[b"path"] = content.partition(b"\0")[0]
            elif attributes:
                own |= _attributes(content)
            elif header.kind == _SHARED:
                self._shared |= _attributes(content)
                self.comment = self._shared.get(b"comment", b"").decode("utf-8", "replace")
        if waiting:
            raise TarDamageError("it ends before a member whose attributes it has")
        self._end()

    def _member(self, header: _Header, attributes: Attributes, too_long: bool) -> TarMember:
        more = header.more
        while more:  # of a sparse map, which nothing is made of
            block = self._block()
            more = len(block) == _BLOCK and block[504] != 0
        size = _decimal(attributes[b"size"]) if b"size" in attributes else header.size
        self._open(0 if header.kind in _EMPTY else size)
        stated = attributes.get(b"path", header.name)
        name = stated.rstrip(b"/")
        kind = _kind(header, stated, sparse=_HOLES in attributes)
        if kind != "folder" and (too_long or len(name) > MAX_NAME):
            kind = "long_name"
        text = name_text(name[:MAX_NAME].decode("utf-8", "surrogateescape"))
        return TarMember(text, kind, size, _seconds(attributes.get(b"mtime"), header.modified))

    def _end(self) -> None:
        """Passes over the blocks of zeros that fill the archive up."""
        while block := self._stream.read(_SKIP):
            if block.count(0) < len(block):
                raise TarDamageError("more follows its end; where archives were joined, give each one by itself")

    def _open(self, size: int) -> None:
        self.content = _Content(self._stream, size)
        self._padding = -size % _BLOCK

    def _block(self) -> bytes:
        return self._stream.read(_BLOCK)

    def _header(self) -> _Header | None:
        """The next header block; None at the end."""
        self.content.skip(self._padding)
        block = self._block()
        if not block or block.count(0) == len(block) == _BLOCK:
            return None
        if len(block) < _BLOCK:
            raise TarDamageError("truncated header")
        return _parsed(block)


class _Content(io.RawIOBase):
    """The bytes of a member."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes. Raises TarDamageError where the archive ends before the member."""
        wanted = self._left if size < 0 else min(size, self._left)
        data = self._stream.read(wanted)
        self._left -= len(data)
        if len(data) < wanted and not data:
            raise TarDamageError("unexpected end of data")
        return data

    def skip(self, more: int) -> None:
        """Passes what is left, and so many bytes behind it."""
        left = self._left + more
        self._left = 0
        while left:
            passed = len(self._stream.read(min(left, _SKIP)))
            if not passed:
                raise TarDamageError("unexpected end of data")
            left -= passed


def _parsed(block: bytes) -> _Header:
    if not _sum_is_right(block):
        raise TarDamageError("bad checksum")
    kind = block[156:157]
    name = block[:100].partition(b"\0")[0]
    prefix = block[345 : 476 if block[508:] == _STAR else 500].partition(b"\0")[0]
    if prefix and kind not in (_LONG_NAME, _LONG_LINK, _SPARSE) and not (block[257:263] == _GNU and prefix.isdigit()):
        name = prefix + b"/" + name
    size = _number(block[124:136])
    if size < 0:
        raise TarDamageError(f"a member of {size:,} bytes")
    try:
        modified = _number(block[136:148])
    except TarDamageError:
        modified = 0
    return _Header(name, kind, size, modified, kind == _SPARSE and block[482] != 0)


def _sum_is_right(block: bytes) -> bool:
    stated = block[148:156].strip(b" \0")
    if not stated or stated.strip(b"01234567"):
        return False
    others = block[:148] + block[156:]
    summed = sum(others) + 8 * 32
    return int(stated, 8) in (summed, summed - 256 * sum(byte > 127 for byte in others))  # some add signed bytes


def _number(field: bytes) -> int:
    """Octal digits or, in archives of large files, bytes."""
    if field[0] in _BASE_256:
        return int.from_bytes(field[1:]) - (256 ** (len(field) - 1) if field[0] == _BASE_256[1] else 0)
    digits = field.partition(b"\0")[0].strip()
    if digits.strip(b"01234567"):
        raise TarDamageError("invalid header")
    return int(digits or b"0", 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 19:
        raise TarDamageError("invalid size")
    return int(digits)


def _seconds(stated: bytes | None, otherwise: float) -> float:
    try:
        return otherwise if stated is None else float(stated)
    except ValueError:
        return 0


def _attributes(content: bytes) -> dict[bytes, bytes]:
    """Those of pax that are asked for, in "LENGTH NAME=VALUE" each; `_HOLES` where any tells of holes."""
    found: dict[bytes, bytes] = {}
    at = 0
    while (blank := content.find(b" ", at, at + 20)) > at and content[at:blank].isdigit():
        length = int(content[at:blank])
        name, _, value = content[blank + 1 : at + length - 1].partition(b"=")
        if name in _WANTED:
            found[name] = value
        elif name.startswith(_HOLES):
            found[_HOLES] = b""
        if length <= blank - at:
            raise TarDamageError("invalid attributes")
        at += length
    return found


def _kind(header: _Header, name: bytes, *, sparse: bool) -> MemberKind:
    if header.kind in (_FOLDER, _LISTED) or (header.kind == b"\0" and name.endswith(b"/")):
        return "folder"
    if header.kind == _SPARSE or (sparse and header.kind in _FILES):
        return "sparse"
    if header.kind in _FILES:
        return "file"
    return "link" if header.kind in _LINKS else "not_a_file"
