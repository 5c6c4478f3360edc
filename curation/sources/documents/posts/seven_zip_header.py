"""How large the header of a 7-Zip archive is, which whoever opens it unpacks and holds: of a few kilobytes it may be
gigabytes, a member for every two bytes.

Source: Pavlov, "7z Format description" (DOC/7zFormat.txt of the LZMA SDK 24.09).
"""

import pyarrow as pa

MAX_HEADER = 1 << 20  # bytes; an archive of 10,000 files has about as many
_START = 32  # bytes before the first packed ones, with the place and the size of the header
_PACKED = b"\x17"  # begins a header that is packed; what follows says how
_END = 0
_PACK_INFO = 6
_CODER_INFO = 7
_SIZE = 9
_FOLDER = 11
_UNPACKED_SIZE = 12


def check_header(file: pa.NativeFile) -> None:
    """Raises ValueError where the header takes more than `MAX_HEADER` bytes, or does not say how many it takes."""
    start = file.read_at(_START, 0)
    if len(start) < _START:
        raise ValueError("it is cut short")
    place = int.from_bytes(start[12:20], "little")
    size = int.from_bytes(start[20:28], "little")
    if place + _START + size > file.size():
        raise ValueError("its end is missing")
    if size <= MAX_HEADER and file.read_at(1, _START + place) == _PACKED:
        size = _unpacked_size(_Numbers(file.read_at(size, _START + place)[1:]))
    if size > MAX_HEADER:
        raise ValueError(f"its list of files has {size:,} bytes, and at most {MAX_HEADER:,} are read")


class _Numbers:
    """Bytes that are read as 7-Zip's numbers."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def bytes(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise ValueError("its header is damaged")
        self._at += size
        return self._data[self._at - size : self._at]

    def next(self) -> int:
        """A number: the leading ones of its first byte say how many bytes follow, of which the first is the lowest."""
        first = self.bytes(1)[0]
        more = next((bit for bit in range(8) if not first & 0x80 >> bit), 8)
        high = first & (0x7F >> more) if more < 8 else 0
        return int.from_bytes(self.bytes(more), "little") + (high << 8 * more)


def _unpacked_size(numbers: _Numbers) -> int:
    """Bytes of a packed header, by what says how it is packed."""
    kind = numbers.next()
    if kind == _PACK_INFO:
        _pass_pack_info(numbers)
        kind = numbers.next()
    if kind != _CODER_INFO or numbers.next() != _FOLDER or numbers.next() != 1 or numbers.next() != 0:
        raise ValueError("its header is damaged")
    outputs = _outputs_of_folder(numbers)
    if numbers.next() != _UNPACKED_SIZE:
        raise ValueError("its header is damaged")
    return max(numbers.next() for _ in range(outputs))


def _pass_pack_info(numbers: _Numbers) -> None:
    numbers.next()
    streams = numbers.next()
    while (kind := numbers.next()) != _END:
        if kind != _SIZE:
            raise ValueError("its header is damaged")
        for _ in range(streams):
            numbers.next()


def _outputs_of_folder(numbers: _Numbers) -> int:
    """How many sizes a folder has: one for each output of its coders."""
    inputs = outputs = 0
    for _ in range(_few(numbers.next())):
        flags = numbers.bytes(1)[0]
        numbers.bytes(flags & 0x0F)
        inputs += _few(numbers.next()) if flags & 0x10 else 1
        outputs += _few(numbers.next()) if flags & 0x10 else 1
        if flags & 0x20:
            numbers.bytes(numbers.next())
    for _ in range(2 * (outputs - 1)):
        numbers.next()
    packed = inputs - (outputs - 1)
    for _ in range(packed if packed > 1 else 0):
        numbers.next()
    return outputs


def _few(number: int) -> int:
    if not 0 < number <= 32:
        raise ValueError("its header is damaged")
    return number
