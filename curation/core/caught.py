"""Notes on what the net caught in a unit: one small file each in the stage's folder, written at once and replayed by
every later attempt, so that all attempts leave the same bytes.

A note on work that exceeded a limit says which limit; where that has been raised since, the work is tried again.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import AGAIN, find_whole, shaped
from curation.core.manifest import replace_json
from curation.core.watchdog import Cause, WorkLimits

CAUGHT = "_caught"


class CaughtPage(TypedDict):
    """A note on a page that the parsing process was stopped on."""

    doc_id: str
    cause: str


class Excess(TypedDict):
    """A note on work that exceeded a limit: of a component's document by `key` and `doc_id`, of documents that are
    tried one by one by `key`, `alone` and `rows`, of a record by `file` and `number`, of a file by `pulled` and
    `given`."""

    cause: Cause
    limit: float
    key: NotRequired[str]
    doc_id: NotRequired[str]
    alone: NotRequired[str]
    rows: NotRequired[int]
    file: NotRequired[str]  # hash of its path
    number: NotRequired[int]
    pulled: NotRequired[int]
    given: NotRequired[int]


@dataclass(frozen=True)
class EndOfReading:
    """Where the reading of a file ends: after the rows that were `pulled` for its batches, or, where it makes batches
    of its own (-1), after the rows that were `given`."""

    pulled: int
    given: int
    cause: Cause


class CaughtNotes:
    """The notes of one unit; `folder` is the stage's."""

    def __init__(self, folder: str, unit: int, limits: WorkLimits) -> None:
        self._folder = storage.join(folder, CAUGHT, f"unit-{unit:05d}")
        self._limits = limits
        self.pages: dict[str, str] = {}  # doc_id -> cause, of pages that the parsing process was stopped on
        self.documents: dict[tuple[str, str], Cause] = {}  # (key of the component, doc_id)
        self.alone: dict[str, dict[str, int]] = {}  # key -> doc_id -> so many documents from it on are tried alone
        self.records: dict[tuple[str, int], Cause] = {}  # (hash of the path, number of the call in the file)
        self.ends: dict[str, EndOfReading] = {}  # hash of the path -> where reading the file ends
        for name in storage.list_names(self._folder):
            if not name.startswith("_"):
                self._read(storage.join(self._folder, name))

    def note_page(self, doc_id: str, cause: str) -> None:
        self._write(doc_id, {"doc_id": doc_id, "cause": cause})
        self.pages[doc_id] = cause

    def note_document(self, key: str, doc_id: str, cause: Cause) -> None:
        """The component exceeds a limit on the document."""
        self._note(f"{doc_id}.{key}", {"key": key, "doc_id": doc_id, "cause": cause, "limit": self._limits.of(cause)})

    def note_record(self, path: str, number: int, cause: Cause) -> None:
        """The source exceeds a limit on a document of a file."""
        file = hashed(path)
        self._note(
            f"{file}.{number}", {"file": file, "number": number, "cause": cause, "limit": self._limits.of(cause)}
        )

    def note_end(self, path: str, end: EndOfReading) -> None:
        """The source exceeds a limit between two documents of a file."""
        note: Excess = {"file": hashed(path), "cause": end.cause, "limit": self._limits.of(end.cause)}
        note["pulled"] = end.pulled
        note["given"] = end.given
        self._note(f"{hashed(path)}.end", note)

    def ending(self, name: str, note: dict[str, Any], line: str, *, again: bool = False) -> dict[str, Any]:
        """For `WatchedWork.ending`. The watcher does not write into stores, so there the executor's search must find
        the document."""
        folder = "" if storage.in_store(self._folder) else storage.resolve(self._folder)[1]
        return {"folder": folder, "name": name, "note": note, "line": line, "again": again}

    def _read(self, uri: str) -> None:
        note = find_whole(uri, dict[str, Any])
        if note is None:
            return
        if "limit" not in note:
            page = shaped(note, CaughtPage, uri, AGAIN)
            self.pages[page["doc_id"]] = page["cause"]
            return
        try:
            self._add(shaped(note, Excess, uri, AGAIN))
        except KeyError as error:
            raise InputError(f"{uri} is damaged: it has no {error}; {AGAIN}") from error

    def _note(self, name: str, note: Excess) -> None:
        self._write(name, note)
        self._add(note)

    def _write(self, name: str, note: CaughtPage | Excess) -> None:
        storage.make_folder(self._folder)
        replace_json(storage.join(self._folder, f"{name}.json"), note)

    def _add(self, note: Excess) -> None:
        cause = note["cause"]
        if note["limit"] < self._limits.of(cause):
            return  # it is tried again
        if "alone" in note:
            self.alone.setdefault(note["key"], {})[note["alone"]] = note["rows"]
        elif "key" in note:
            self.documents[note["key"], note["doc_id"]] = cause
        elif "number" in note:
            self.records[note["file"], note["number"]] = cause
        else:
            self.ends[note["file"]] = EndOfReading(note["pulled"], note["given"], cause)


def hashed(path: str) -> str:
    """A name for a file that has none of its path's credentials and odd characters."""
    return hashlib.blake2b(path.encode(errors="surrogateescape"), digest_size=16).hexdigest()
