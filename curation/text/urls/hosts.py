"""Host names: reading them from URLs in canonical form, and walking over their labels.

The canonical form is lower-case ASCII (`xn--` for other letters, by UTS 46), percent-decoded, without dots at the ends.
Source: WHATWG, "URL", the parts that decide what the host is; Davis and Suignard, "UTS 46".
"""

from functools import lru_cache

import idna

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Byte, Out, kernel

MAX_HOST = 253  # bytes, of the name in ASCII
_MAX_RAW_HOST = 4 * MAX_HOST  # bytes of a name in other letters
_COLON = 0x3A
_DOT = 0x2E
_PERCENT = 0x25
_OPEN = 0x5B
_CLOSE = 0x5D


@lru_cache(maxsize=1 << 14)
def ascii_host(host: bytes) -> str:
    """A host in UTF-8 as browsers look it up; "" for invalid UTF-8. A label that IDNA forbids is encoded as it is, so
    that equal hosts are equal even if they never resolve."""
    try:
        text = host.decode()
    except UnicodeDecodeError:
        return ""
    try:
        return idna.encode(text, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        labels = text.lower().replace("\u3002", ".").split(".")
        return ".".join(
            label if label.isascii() else "xn--" + label.encode("punycode").decode().lower() for label in labels
        )


@kernel
def hex_digit(byte: Byte) -> int:
    """Value of a hexadecimal digit, -1 for any other byte."""
    if 0x30 <= byte <= 0x39:
        return int(byte) - 0x30
    small = int(byte | 0x20)
    return small - 0x57 if 0x61 <= small <= 0x66 else -1


@kernel
def escaped(data: Bytes, at: int, stop: int) -> int:
    """The value of the percent-escape at byte `at`; -1 if there is none."""
    if data[at] != _PERCENT or at + 2 >= stop:
        return -1
    high = hex_digit(data[at + 1])
    low = hex_digit(data[at + 2])
    return -1 if high < 0 or low < 0 else high * 16 + low


@kernel
def _is_port(data: Bytes, start: int, stop: int) -> bool:
    for at in range(start, stop):  # noqa: SIM110  a generator does not compile
        if not 0x30 <= data[at] <= 0x39:
            return False
    return True


@kernel
def _numeric_host(data: Bytes, at: int, stop: int, out: Out[Bytes], to: int) -> int:
    """Write the IPv6 address in brackets at byte `at`. Returns where it ends in `out`; -1 if there is none."""
    while at < stop:
        byte = data[at] | 0x20 if 0x41 <= data[at] <= 0x5A else data[at]
        out[to] = byte
        to += 1
        at += 1
        if byte == _CLOSE:
            return to if at == stop or (data[at] == _COLON and _is_port(data, at + 1, stop)) else -1
        if hex_digit(byte) < 0 and byte != _COLON and byte != _DOT and byte != _OPEN:
            return -1
    return -1


@kernel
def write_host(data: Bytes, at: int, stop: int, out: Out[Bytes], to: int) -> tuple[int, int]:
    """Write the host at byte `at` of an authority. Returns (its end in `out`, -1 for none; its non-ASCII bytes)."""
    if at < stop and data[at] == _OPEN:
        return _numeric_host(data, at, stop, out, to), 0
    begin = to
    foreign = 0
    while at < stop:
        if data[at] == _COLON:
            if not _is_port(data, at + 1, stop):
                return -1, 0
            break
        value = escaped(data, at, stop)
        byte = int(data[at]) if value < 0 else value
        at += 1 if value < 0 else 3
        if 0x41 <= byte <= 0x5A:
            byte |= 0x20
        letter = 0x61 <= byte <= 0x7A or 0x30 <= byte <= 0x39 or byte >= 0x80
        if not letter and byte != 0x2D and byte != 0x5F and byte != _DOT:
            return -1, 0
        if byte == _DOT and to == begin:
            continue
        foreign += byte >= 0x80
        out[to] = byte
        to += 1
    while to > begin and out[to - 1] == _DOT:
        to -= 1
    most = _MAX_RAW_HOST if foreign else MAX_HOST
    return (to if 0 < to - begin <= most else -1), foreign


@kernel
def next_label(data: Bytes, at: int, stop: int) -> int:
    """Where the label after the one at byte `at` of a host begins; `stop` if there is none."""
    while at < stop and data[at] != _DOT:
        at += 1
    return min(at + 1, stop)


@kernel
def is_address(data: Bytes, start: int, stop: int) -> bool:
    """Whether a host is an IP address: in brackets, or its last label a number."""
    if start == stop or data[stop - 1] == _CLOSE:
        return stop > start
    at = stop
    while at > start and data[at - 1] != _DOT:
        at -= 1
        if not 0x30 <= data[at] <= 0x39:
            return False
    return True


@kernel
def last_labels(data: Bytes, starts: Indices, stops: Indices) -> Indices:
    """int64[N]: where the last label of each host begins; `stops` if there is no host."""
    begins = stops.copy()
    for host in range(starts.size):
        while begins[host] > starts[host] and data[begins[host] - 1] != _DOT:
            begins[host] -= 1
    return begins
