"""Reads a file that names documents, one url or doc_id per line."""

import os
from dataclasses import dataclass

from curation.core.errors import UserError
from curation.core.removal_list import Kind, read_names


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
    named = read_names(path, (kind,))
    return Request(kind, named.values[kind], named.blake2b)
