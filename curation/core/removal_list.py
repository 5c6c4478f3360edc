"""Reads files that name documents to be taken down: a URL or a doc_id a line.

Empty lines, and lines that begin with #, are passed over.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from curation.core import storage
from curation.core.errors import InputError

Kind = Literal["url", "doc_id"]  # how a line names documents
_GRAMMAR: dict[Kind, re.Pattern[str]] = {
    "url": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+"),
    "doc_id": re.compile("[0-9a-f]{32}"),
}
_EXPECTED: dict[Kind, str] = {
    "url": "an address with a scheme and without blanks, e.g. https://example.org/page",
    "doc_id": "32 hex digits (0-9, a-f), as `winnow why` prints them",
}


@dataclass(frozen=True)
class NamedDocuments:
    """The distinct values of a file by kind, in its order; `blake2b` is the file's BLAKE2b-256 in hex."""

    values: dict[Kind, tuple[str, ...]]
    blake2b: str


def read_names(path: str, kinds: tuple[Kind, ...]) -> NamedDocuments:
    """Reads a file whose lines may be of these kinds.

    Raises InputError with the line number for a malformed line, and for a file that is missing or names nothing.
    """
    content = storage.read_bytes(path)
    values: dict[Kind, dict[str, None]] = {kind: {} for kind in kinds}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            value = line.decode().strip()
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{number}: not UTF-8 text ({error.reason})") from error
        if value and not value.startswith("#"):
            kind = next((kind for kind in kinds if _GRAMMAR[kind].fullmatch(value)), None)
            if kind is None:
                expected = ", or ".join(_EXPECTED[kind] for kind in kinds)
                raise InputError(
                    f"{path}:{number}: {value[:80]!r} is not a {' or a '.join(kinds)}: expected {expected}"
                )
            values[kind][value] = None
    if not any(values.values()):
        raise InputError(f"{path} names no {' or '.join(kinds)}: expected one per line; leave it out until it does")
    named = {kind: tuple(own) for kind, own in values.items()}
    return NamedDocuments(named, hashlib.blake2b(content, digest_size=32).hexdigest())
