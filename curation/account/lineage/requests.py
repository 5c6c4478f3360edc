"""The documents that somebody names in a file, one per line, and where they are: by look-up tables, not by a search.

A look-up reads, of each reading stage, the row groups of its table that may hold one of the keys, and then one narrow
column of the shards that it names.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pyarrow as pa

from curation.account.run.rows import DOC_ID, TEXT_HASH, URL, look_up
from curation.account.run.run_graph import Branches, Ints, Rows
from curation.core import storage
from curation.core.document import unpack_doc
from curation.core.errors import InputError
from curation.core.threads import at_once
from curation.text.kernels.hashing import hash64

Kind = Literal["url", "doc_id"]  # what a request names documents by
KINDS = {"url": URL, "doc_id": DOC_ID, "text_hash": TEXT_HASH}  # columns that a document is found by
_GRAMMAR: dict[Kind, re.Pattern[str]] = {
    "url": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+"),
    "doc_id": re.compile("[0-9a-f]{32}"),
}
_EXPECTED: dict[Kind, str] = {
    "url": "an address with its scheme and without blanks, e.g. https://example.org/page",
    "doc_id": "32 of the digits 0-9 and a-f, as `winnow why` prints",
}


@dataclass(frozen=True)
class Request:
    """What a file asks for, each once, in its order; `blake2b` is the file's BLAKE2b-256 in hex."""

    kind: Kind
    values: tuple[str, ...]
    blake2b: str


def read_request(path: str, kind: Kind) -> Request:
    """One url or doc_id per line; empty lines and those that begin with # are passed over.

    Raises InputError with the line's number for one that cannot be, and for a file that names nothing.
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
                raise InputError(f"{path}:{number}: {value[:80]!r} is no {kind}: expected {_EXPECTED[kind]}")
            values[value] = None
    if not values:
        raise InputError(f"{path} names no {kind}: one per line is expected")
    return Request(kind, tuple(values), hashlib.blake2b(content, digest_size=32).hexdigest())


def find(branches: Branches, kind: str, values: Sequence[str]) -> tuple[Rows, set[str]]:
    """Rows of reading stages that have one of the values in the column `kind`, and which of the values were found."""
    wanted = pa.array(values, pa.string())
    hashes = np.unique(hash64(wanted.cast(pa.large_string())))
    rows: Rows = {}
    seen: set[str] = set()
    for number in branches.reading():
        stage = branches.stages[number]
        docs = look_up(stage.folder, stage.manifest, hashes, KINDS[kind])
        shards, places = unpack_doc(docs)
        by_shard = [(shard, places[shards == shard]) for shard in np.unique(shards).tolist()]
        columns = at_once(partial(_column, branches, number, kind), by_shard)
        for (shard, own), given in zip(by_shard, columns, strict=True):
            match = np.asarray(pa.compute.is_in(given, wanted))  # another value may have the same hash
            if match.any():
                rows[number, shard] = own[match]
                seen.update(given.filter(pa.array(match)).to_pylist())
    return rows, seen


def _column(branches: Branches, number: int, name: str, at: tuple[int, Ints]) -> pa.ChunkedArray:
    return branches.column(number, at[0], name, at[1])
