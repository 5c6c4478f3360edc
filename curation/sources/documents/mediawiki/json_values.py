"""The values of JSON in lines of a file: one in a line, or in many, as the API of Wikimedia Enterprise answers."""

from collections.abc import Iterator, Sequence

from curation.sources.tars import TarText

_BEGINS = (b"{", b"[{")
_BETWEEN = (b"", b"[", b"]", b",")  # lines of an array around its objects


def json_values(lines: Iterator[TarText], most: int) -> Iterator[tuple[int, bytes | None]]:
    """Numbers of lines, and the values that begin there; None for one of more than `most` bytes. One of many lines ends
    with the first brace that is indented as its first."""
    held: list[bytes] = []
    within = ""
    first = size = 0
    indent = b""
    for number, (name, line) in enumerate(lines):
        bare = b"" if line is None else line.strip()
        if held and (name != within or line is None or line.startswith(indent + b'{"')):  # it has no end
            yield first, _joined(held, most)
            held = []
        if held:
            size += len(bare)
            held += [bare] if size <= most else ()
            if line and line.startswith(indent + b"}"):
                yield first, _joined(held, most) if size <= most else None
                held = []
        elif line is not None and bare in _BEGINS:
            held = [b"{"]
            within = name
            first = number
            size = 1
            indent = line[: len(line) - len(line.lstrip())]
        elif line is None or bare not in _BETWEEN:
            yield number, None if line is None else bare.removesuffix(b",")  # of an array with a value in each line
    if held:
        yield first, _joined(held, most)


def _joined(held: Sequence[bytes], most: int) -> bytes | None:
    value = b"\n".join(held)
    return value.rstrip(b", ]") if len(value) <= most else None
