"""Reads a file that names documents, one url or doc_id per line."""

import hashlib
import os
import re
from dataclasses import dataclass
from typing import Literal

from curation.core import storage
from curation.core.errors import InputError, UserError

Kind = Literal["url", "doc_id"]  # how a request names documents
_GRAMMAR: dict[Kind, re.Pattern[str]] = {
    "url": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+"),
    "doc_id": re.compile("[0-9a-f]{32}"),
}
_EXPECTED: dict[Kind, str] = {
    "url": "an address with a scheme and without blanks, e.g. https://example.org/page",
    "doc_id": "32 hex digits (0-9, a-f), as `winnow why` prints them",
}


@dataclass(frozen=True)
class Request:
    """The distinct values of a file, in its order; `blake2b` is the file's BLAKE2b-256 in hex."""

    kind: Kind
    values: tuple[str, ...]
    blake2b: str


def request_of(urls: str | os.PathLike[str] | None, doc_ids: str | os.PathLike[str] | None) -> Request:
    """Reads the file of urls or that of doc_ids. Raises UserError unless just one is given, and as `read_request`."""
    if urls is not None and doc_ids is None:
        return read_request(os.fspath(urls), "url")
    if doc_ids is not None and urls is None:
        return read_request(os.fspath(doc_ids), "doc_id")
    raise UserError("say which documents: either urls or doc_ids, a file with one per line")


def read_request(path: str, kind: Kind) -> Request:
    """Reads one url or doc_id per line; skips empty lines and lines that begin with #.

    Raises InputError with the line number for a malformed line, and for a file without any value.
    """
    content = storage.read_bytes(path)
    values: dict[str, None] = {}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            value = line.decode().strip()
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{number}: not UTF-8 text ({error.reason})") from error
        if value and not value.startswith("#"):
            if not _GRAMMAR[kind].fullmatch(value):
                raise InputError(f"{path}:{number}: {value[:80]!r} is not a {kind}: expected {_EXPECTED[kind]}")
            values[value] = None
    if not values:
        raise InputError(f"{path} names no {kind}: expected one per line")
    return Request(kind, tuple(values), hashlib.blake2b(content, digest_size=32).hexdigest())
