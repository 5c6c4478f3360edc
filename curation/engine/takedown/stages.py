"""Takes documents out of one sealed stage, and seals it again with an audit record; safe to repeat after any crash.

Before a stage's first file is changed, JOURNAL notes what can no longer be told afterwards: the old checksums and, of
token shards, what their counts lose. Each file is replaced as a whole, and every change gives the same bytes when it is
done again. The manifest is replaced when all files are; its `audit` then names the takedown, and a repeated attempt
passes the stage over. An entry has `takedown` (the number in run.json), `when`, `documents`, `rows` (of token shards:
rows of tokens), and `files`: {name: {before, after}}, BLAKE2b-256 in hex.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.document import pack_doc
from curation.core.manifest import (
    MANIFEST,
    Commit,
    Manifest,
    Part,
    read_commit,
    read_json,
    read_manifest,
    replace_json,
)
from curation.core.protocols import Ints
from curation.core.threads import at_once
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.forget import forget, key_files, methods_of
from curation.engine.dedup.layout import Layout
from curation.engine.run.part_files import read_part
from curation.engine.run.steps import commit_path
from curation.engine.takedown.part_files import erase_rows
from curation.engine.takedown.record import Takedown
from curation.engine.takedown.replacing import checksum_of
from curation.engine.takedown.token_shards import erase_tokens, losses

JOURNAL = "_takedown.json"
Audit = dict[str, Any]
Shards = Mapping[int, Ints]


def erase(folder: str, shards: Shards, takedown: Takedown, texts: Callable[[int], str]) -> Audit | None:
    """Takes the rows of each shard out of the stage at `folder`; `texts` gives the file that a pack's unit was made of.

    Returns the stage's audit entry, None where the stage holds nothing of documents.
    """
    manifest = read_manifest(folder)
    assert manifest is not None, "only sealed stages are changed"
    if not (manifest.verb.documents or manifest.verb.packs):
        return None
    entry = next((one for one in manifest.audit if one["takedown"] == takedown.number), None)
    if entry is None:
        change = _Packed if manifest.verb.packs else _Documents
        entry = change(folder, manifest, shards, takedown, texts).apply()
    storage.delete_file(storage.join(folder, JOURNAL))
    return entry


@dataclasses.dataclass(frozen=True)
class _Change:
    """A stage's part of a takedown."""

    folder: str
    manifest: Manifest
    shards: Shards
    takedown: Takedown
    texts: Callable[[int], str]

    def apply(self) -> Audit:
        journal = read_json(self._path(JOURNAL))
        if journal is None or journal["takedown"] != self.takedown.number:
            journal = {"takedown": self.takedown.number, **self.note()}
            replace_json(self._path(JOURNAL), journal)
        manifest = self.change(journal)
        after = self._checksums(journal["files"])
        entry = {
            "takedown": self.takedown.number,
            "when": self.takedown.when,
            "documents": journal["documents"],
            "rows": journal["rows"],
            "files": {name: {"before": old, "after": after[name]} for name, old in journal["files"].items()},
        }
        held = np.cumsum([max(len(one.parts), 1) for one in manifest.commits])
        units = np.unique(np.searchsorted(held, sorted(self.shards), side="right")).tolist()
        at_once(self._recommit, [manifest.commits[unit] for unit in units])
        sealed = dataclasses.replace(manifest, audit=(*manifest.audit, entry))
        replace_json(self._path(MANIFEST), sealed)
        return entry

    def note(self) -> dict[str, Any]:
        """What has to be known before a file is changed: documents, rows, and {file: checksum} at the least."""
        raise NotImplementedError

    def change(self, journal: dict[str, Any]) -> Manifest:
        """Changes the files; returns the manifest with their new sizes and counts."""
        raise NotImplementedError

    def _path(self, name: str) -> str:
        return storage.join(self.folder, name)

    def _checksums(self, names: Iterable[str]) -> dict[str, str]:
        names = list(names)
        return dict(zip(names, at_once(lambda name: checksum_of(self._path(name)), names), strict=True))

    def _recommit(self, made: Commit) -> None:
        """The unit's own commit says what the manifest says of it."""
        path = commit_path(self.folder, made.unit)
        if read_commit(path) is not None:
            replace_json(path, made)


class _Documents(_Change):
    """Of a stage with a row per document."""

    def note(self) -> dict[str, Any]:
        names = [self.manifest.parts[shard].file for shard in sorted(self.shards)]
        if self.manifest.verb.clusters:
            keys = key_files(self._layout())
            names += [name for shard in sorted(self.shards) for name in keys[shard]]
        rows = sum(map(len, self.shards.values()))
        return {"documents": self._documents(), "rows": rows, "files": self._checksums(names)}

    def change(self, journal: dict[str, Any]) -> Manifest:
        parts = list(self.manifest.parts)
        made = at_once(self._erased, sorted(self.shards))
        for shard, part in zip(sorted(self.shards), made, strict=True):
            parts[shard] = part
        if self.manifest.verb.clusters:
            docs = np.concatenate([pack_doc(shard, rows) for shard, rows in sorted(self.shards.items())])
            keep = Keep.parse(self.manifest.address_parts["keep"])
            forget(self.folder, methods_of(self.manifest), keep, docs)
        left = iter(parts)
        commits = tuple(
            dataclasses.replace(one, parts=tuple(next(left) for _ in one.parts)) for one in self.manifest.commits
        )
        return dataclasses.replace(self.manifest, commits=commits)

    def _erased(self, shard: int) -> Part:
        part = self.manifest.parts[shard]
        return erase_rows(self._path(part.file), part, self.shards[shard])

    def _documents(self) -> int:
        return len(set().union(*at_once(self._named, sorted(self.shards))))

    def _named(self, shard: int) -> set[str]:
        found: set[str] = set()
        for table in read_part(self._path(self.manifest.parts[shard].file), columns=("doc_id",), kept_only=False):
            own = pa.array(np.isin(np.asarray(table["_row"]), self.shards[shard]))
            found.update(table["doc_id"].filter(own).to_pylist())
        return found

    def _layout(self) -> Layout:
        return Layout(self.folder, len(self.manifest.parts), self.manifest.address_parts["buckets"])


class _Packed(_Change):
    """Of a stage of token shards: the shards are units, their rows those of the files that they were made of."""

    def note(self) -> dict[str, Any]:
        files: dict[str, str] = {}
        lost: dict[str, dict[str, int]] = {}
        rows = 0
        for unit, several in zip(sorted(self.shards), at_once(self._losses, sorted(self.shards)), strict=True):
            for part, (found, held) in zip(self._parts(unit), several, strict=True):
                if held:
                    lost[part["name"]], rows = found, rows + held
                    files |= {name: one["blake2b"] for name, one in part["files"].items()}
        documents = sum(one["documents"] for one in lost.values())
        return {"documents": documents, "rows": rows, "files": files, "losses": lost}

    def change(self, journal: dict[str, Any]) -> Manifest:
        assert self.manifest.tokens is not None, "a pack stage has a section `tokens`"
        section, commits = dict(self.manifest.tokens), list(self.manifest.commits)
        held = [part for unit in sorted(self.shards) for part in self._parts(unit) if part["name"] in journal["losses"]]
        changed: dict[str, dict[str, Any]] = {}
        for made in at_once(lambda part: erase_tokens(self.folder, part, section, self._ids()), held):
            lost = journal["losses"][made["name"]]
            changed[made["name"]] = {**made, **{kind: made[kind] - count for kind, count in lost.items()}}
        for unit in sorted(self.shards):
            parts = [changed.get(part["name"], part) for part in self._parts(unit)]
            files = {name: one for part in parts for name, one in part["files"].items()}
            commits[unit] = dataclasses.replace(
                commits[unit], extra={**commits[unit].extra, "files": files, "parts": parts}
            )
        section["parts"] = [changed.get(part["name"], part) for part in section["parts"]]
        section["sources"] = _totals(section["sources"], section["parts"])
        return dataclasses.replace(self.manifest, commits=tuple(commits), tokens=section)

    def _parts(self, unit: int) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = self.manifest.commits[unit].extra["parts"]
        return parts

    def _ids(self) -> pa.Array:
        return pa.array(self.takedown.documents, pa.string())

    def _losses(self, unit: int) -> list[tuple[dict[str, int], int]]:
        sizes = self._text_bytes(unit)
        return [losses(self.folder, part, self._ids(), sizes) for part in self._parts(unit)]

    def _text_bytes(self, unit: int) -> dict[str, int]:
        """UTF-8 bytes of the unit's documents by doc_id, from the file that it was made of."""
        found: dict[str, int] = {}
        for table in read_part(self.texts(unit), columns=("doc_id", "text"), kept_only=False):
            own = table.filter(pa.array(np.isin(np.asarray(table["_row"]), self.shards[unit])))
            sizes = pc.fill_null(pc.binary_length(own["text"]), 0).to_pylist()
            found |= dict(zip(own["doc_id"].to_pylist(), sizes, strict=True))
        return found


def _totals(sources: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Source -> split -> counts, the kinds as they were, summed over the parts."""
    return {
        source: {
            split: {
                kind: sum(p[kind] for p in parts if (p["source"], p["split"]) == (source, split)) for kind in counts
            }
            for split, counts in splits.items()
        }
        for source, splits in sources.items()
    }
