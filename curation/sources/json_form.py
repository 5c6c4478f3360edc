"""Recognises from its beginning how a file of JSON is laid out: an object a line, or values with line breaks anywhere.

Only a file with an object a line can be cut anywhere, so a large one is cut into ranges of bytes; any other is read
from its beginning to its end. Files in UTF-16 or UTF-32, and files of one object that holds the rows in a field, are
refused with a message that says what to do.
"""

import re
from typing import NoReturn

import numpy as np

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.sources.json_values import OBJECT, ValueScan

SAMPLE = 1 << 20  # bytes of a file's beginning by which its form is told
BOM = b"\xef\xbb\xbf"
_KEYS = 1 << 16  # bytes in which the fields of an object of rows are looked for
_BOMS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}  # the longer ones first
_WIDE = {  # of ASCII without a byte order mark
    "UTF-32LE": re.compile(rb"(?s:[^\0].\0\0)+"),
    "UTF-32BE": re.compile(rb"(?s:\0\0.[^\0])+"),
    "UTF-16LE": re.compile(rb"(?:[^\0]\0)+"),
    "UTF-16BE": re.compile(rb"(?:\0[^\0])+"),
}
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{},:]', re.DOTALL)  # a text may be cut off


def check_encoding(start: bytes, path: str) -> None:
    """Raises InputError for text that is not UTF-8 but of wider units, with the command that converts it."""
    found = next((name for bom, name in _BOMS.items() if start.startswith(bom)), "")
    head = start[: min(len(start), 64) // 4 * 4]
    found = found or next((name for name, pattern in _WIDE.items() if pattern.fullmatch(head)), "")
    if found:
        name = masked(path)
        raise InputError(
            f"{name} is {found}, and JSON is read as UTF-8; convert it (iconv -f {found} -t UTF-8 FILE > NEW_FILE) and "
            "give the new file"
        )


def has_lines(start: bytes) -> bool:
    """Whether a file that begins with these bytes, the first SAMPLE or all, has an object a line, judged by its first
    complete object."""
    data = start.removeprefix(BOM)
    if data.lstrip()[:1] == b"[":
        return False
    scan = ValueScan()
    values = scan.feed(np.frombuffer(data, np.uint8), 0)
    for begin, end, kind in zip(values.starts.tolist(), values.stops.tolist(), values.kinds.tolist(), strict=True):
        if kind == OBJECT:
            behind = data[end : data.find(b"\n", end) if b"\n" in data[end:] else len(data)]
            return b"\n" not in data[begin:end] and not behind.strip(b" \t\r,")
    return scan.open_at is None or b"\n" not in data[scan.open_at :]


def check_rows(start: bytes, path: str, text: str) -> None:
    """Raises InputError where the file is one object and a field of it holds the rows: `text` is the recipe's field,
    which the first of these has, and the object has not."""
    data = start.removeprefix(BOM).lstrip()
    scan = ValueScan()
    kinds = scan.feed(np.frombuffer(data, np.uint8), 0).kinds.tolist()
    whole = scan.open_at is None
    if not data.startswith(b"{") or kinds != [OBJECT] * whole:
        return
    own, field, within = _rows_field(data[:_KEYS])
    names = {name.split(".")[0] for name in text.split("|")}
    if field and names & within and not names & own:
        _refuse_rows(path, field)


def _rows_field(data: bytes) -> tuple[set[str], str, set[str]]:
    """The fields of an object, as far as they are seen, the first of them that is an array of objects, and the fields
    of these."""
    own: set[str] = set()
    within: set[str] = set()
    found = ""
    depth = 0
    before = [b"", b"", b""]  # the last tokens
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token == b":" and depth in (1, 3):
            (own if depth == 1 else within).add(_name(before[2]))
        if depth == 2 and token == b"{" and before[1:] == [b":", b"["] and not found:
            found = _name(before[0])
            within.clear()
        if depth == 2 and token == b"]" and found:
            break
        depth += (token in b"[{") - (token in b"]}")
        before = [*before[1:], token]
    return own, found, within


def _name(token: bytes) -> str:
    return token[1:-1].decode("utf-8", "replace")


def _refuse_rows(path: str, field: str) -> NoReturn:
    raise InputError(
        f"{masked(path)} is one object that holds its rows in the field {field!r}; write them as lines "
        f"(jq -c '.[\"{field}\"][]' FILE > NEW_FILE.jsonl) and give the new file"
    )
