"""Takes documents out of one sealed stage, and seals it again with an audit record; safe to repeat after any crash.

Before a stage's first file is changed, JOURNAL notes what cannot be found out afterwards: the old checksums, and the
counts that are left, of token shards or of text. Then its units are replaced one by one (`replacing.py`), with the same
bytes when that is repeated, and last the manifest. Its `audit` then names the takedown, and a repeated attempt skips
the stage. An entry has `takedown` (the number in run.json), `when`, `documents`, `rows` (of token shards: rows of
tokens), and `files`: {name: {before, after}}, BLAKE2b-256 in hex.
"""

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.commits import Commit, Part
from curation.core.composed import read_rows
from curation.core.document import kept_mask, pack_doc
from curation.core.manifest import MANIFEST, Manifest, read_json, read_manifest, replace_json
from curation.core.new_file import FileFacts, checksum_of
from curation.core.protocols import Ints
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.core.threads import map_threads
from curation.dedup.clusters.survival import Keep
from curation.engine.erase.dedup_keys import forget, key_files, methods_of
from curation.engine.erase.replacing import facts_of, replace_commits, replace_files
from curation.engine.erase.rows import erase_rows
from curation.engine.erase.takedown_record import Takedown
from curation.engine.erase.token_shards import erasures, losses, totals
from curation.engine.run.part_files import text_lengths
from curation.tokens.manifests import shards_in

JOURNAL = "_takedown.json"
Entry = dict[str, Any]  # of the audit, or the journal
Shards = Mapping[int, Ints]  # rows (ascending) by shard


def erase(folder: str, shards: Shards, takedown: Takedown) -> Entry | None:
    """Takes the rows of each shard out of the stage at `folder`. Stages that it reads must come later, because their
    texts tell what its counts lose. Returns its audit entry; None where it holds nothing of documents."""
    manifest = read_manifest(folder)
    assert manifest is not None, "only sealed stages are changed"
    if not (manifest.verb.documents or manifest.verb.packs):
        return None
    entry = next((entry for entry in manifest.audit if entry["takedown"] == takedown.number), None)
    if entry is None:
        change = _Packed if manifest.verb.packs else _Documents
        entry = change(folder, manifest, shards, takedown).apply()
    storage.delete_file(storage.join(folder, JOURNAL))
    return entry


@dataclass(frozen=True)
class _Change:
    """One takedown in one stage."""

    folder: str
    manifest: Manifest
    shards: Shards
    takedown: Takedown

    @cached_property
    def shard_files(self) -> ShardFiles:
        return ShardFiles(self.folder, self.manifest)

    def apply(self) -> Entry:
        journal = read_json(self._path(JOURNAL))
        if journal is None or journal["takedown"] != self.takedown.number:
            journal = {"takedown": self.takedown.number, **self.note()}
            replace_json(self._path(JOURNAL), journal)
        manifest = self.manifest_of(self.replace_units(journal))
        after = self._checksums(journal["files"])
        entry = {
            "takedown": self.takedown.number,
            "when": self.takedown.when,
            "documents": journal["documents"],
            "rows": journal["rows"],
            "files": {name: {"before": old, "after": after[name]} for name, old in journal["files"].items()},
        }
        replace_json(self._path(MANIFEST), replace(manifest, audit=(*manifest.audit, entry)))
        return entry

    def note(self) -> Entry:
        """What must be known before a file is changed; at least `documents`, `rows` and `files` ({name: checksum})."""
        raise NotImplementedError

    def units(self) -> list[int]:
        """The units that hold rows of the documents."""
        raise NotImplementedError

    def replace_units(self, journal: Entry) -> tuple[Commit, ...]:
        """Replaces their files, then their commits; returns the commits of all units."""
        new = {commit.unit: commit for commit in map_threads(partial(self.replace_unit, journal), self.units())}
        replace_commits(self.folder, new.values())
        return tuple(new.get(old.unit, old) for old in self.manifest.commits)

    def replace_unit(self, journal: Entry, unit: int) -> Commit:
        """Replaces one unit's files; returns its new commit."""
        raise NotImplementedError

    def manifest_of(self, commits: tuple[Commit, ...]) -> Manifest:
        """The manifest with these commits and what follows from them."""
        return replace(self.manifest, shards=ShardTable.of(commits, self.folder, self.manifest.chain))

    def _path(self, name: str) -> str:
        return storage.join(self.folder, name)

    def _checksums(self, names: Iterable[str]) -> dict[str, str]:
        names = list(names)
        return dict(zip(names, map_threads(lambda name: checksum_of(self._path(name)), names), strict=True))


class _Documents(_Change):
    """In a stage with a row per document: a unit holds one shard or several. A dedup stage also forgets keys."""

    def note(self) -> Entry:
        names = [self.manifest.shards[shard].file for shard in sorted(self.shards)]
        if self.manifest.verb.clusters:
            names += key_files(self.folder, self.manifest, self.shards)
        shards = map_threads(self._without_documents, sorted(self.shards))
        documents = set[str]().union(*(ids for _, ids, _ in shards))
        left = {name: sizes for name, _, sizes in shards}
        rows = sum(map(len, self.shards.values()))
        return {"documents": len(documents), "rows": rows, "files": self._checksums(names), "left": left}

    def units(self) -> list[int]:
        return sorted({bisect(self._first, shard) - 1 for shard in self.shards})

    def replace_units(self, journal: Entry) -> tuple[Commit, ...]:
        commits = super().replace_units(journal)
        if self.manifest.verb.clusters:
            docs = np.concatenate([pack_doc(shard, rows) for shard, rows in sorted(self.shards.items())])
            forget(self.folder, methods_of(self.manifest), Keep.parse(self.manifest.address_parts["keep"]), docs)
        return commits

    def replace_unit(self, journal: Entry, unit: int) -> Commit:
        commit = self.manifest.commits[unit]
        shards = {shard: part for shard, part in enumerate(commit.parts, self._first[unit]) if shard in self.shards}
        writes = {
            part.file: partial(erase_rows, self.folder, part, self.shards[shard]) for shard, part in shards.items()
        }

        def recommit(parts: dict[str, Part]) -> Commit:
            new = {name: replace(part, **journal["left"][name]) for name, part in parts.items()}
            return replace(commit, parts=tuple(new.get(part.file, part) for part in commit.parts))

        return replace_files(self.folder, writes, recommit)

    @cached_property
    def _first(self) -> list[int]:
        """The number of each unit's first shard."""
        return list(accumulate((len(commit.parts) for commit in self.manifest.commits), initial=0))

    def _without_documents(self, shard: int) -> tuple[str, set[str], dict[str, int]]:
        """The shard's file, the doc_ids of its rows, and the bytes of text in its `Part` without theirs."""
        part = self.manifest.shards[shard]
        names = set[str]()
        left = {"text_bytes": part.text_bytes, "kept_text_bytes": part.kept_text_bytes}
        files = self.shard_files.files(shard)
        for table in read_rows(files, ("doc_id", "text", "drop_reason"), rows=self.shards[shard]):
            names.update(table["doc_id"].to_pylist())
            sizes = text_lengths(table)
            left["text_bytes"] -= int(sizes.sum())
            left["kept_text_bytes"] -= int(sizes[np.asarray(kept_mask(table))].sum())
        return part.file, names, left


class _Packed(_Change):
    """In a stage of token shards: `shards` are those that it read, and a unit packed several of them."""

    def note(self) -> Entry:
        files: dict[str, str] = {}
        left: dict[
            str, dict[str, int]
        ] = {}  # noted as results, because a repeated attempt may find the counts changed already
        documents = rows = 0
        for unit, unit_losses in zip(self.units(), map_threads(self._losses, self.units()), strict=True):
            for part, (counts, part_rows) in zip(self._parts(unit), unit_losses, strict=True):
                if part_rows:
                    left[part["name"]] = {kind: part[kind] - count for kind, count in counts.items()}
                    documents = documents + counts["documents"]
                    rows += part_rows
                    files |= {name: facts["blake2b"] for name, facts in part["files"].items()}
        return {"documents": documents, "rows": rows, "files": files, "left": left}

    def units(self) -> list[int]:
        return sorted(self._shards_of)

    @cached_property
    def _shards_of(self) -> dict[int, set[int]]:
        """The shards of the documents, by the unit that packed them."""
        shards = sorted(self.shards)
        of = {
            commit.unit: {shard for part in commit.extra["parts"] for shard in shards_in(part, shards)}
            for commit in self.manifest.commits
        }
        return {unit: shards for unit, shards in of.items() if shards}

    def replace_unit(self, journal: Entry, unit: int) -> Commit:
        commit = self.manifest.commits[unit]
        parts = self._parts(unit)
        left = journal["left"]
        assert self.manifest.tokens is not None, "a pack stage has a section `tokens`"
        writes: dict[str, Callable[[str], FileFacts]] = {}
        for part in parts:
            if part["name"] in left:
                writes |= erasures(self.folder, part, self.manifest.tokens, self._ids())

        def recommit(facts: dict[str, FileFacts]) -> Commit:
            new = [self._part_without(part, left.get(part["name"]), facts) for part in parts]
            files = {name: entry for part in new for name, entry in part["files"].items()}
            return replace(commit, extra={**commit.extra, "files": files, "parts": new})

        return replace_files(self.folder, writes, recommit)

    def manifest_of(self, commits: tuple[Commit, ...]) -> Manifest:
        assert self.manifest.tokens is not None, "a pack stage has a section `tokens`"
        by_name = {part["name"]: part for commit in commits for part in commit.extra["parts"]}
        parts = [by_name[part["name"]] for part in self.manifest.tokens["parts"]]
        tokens = {**self.manifest.tokens, "parts": parts, "sources": totals(self.manifest.tokens["sources"], parts)}
        return replace(super().manifest_of(commits), tokens=tokens)

    def _part_without(self, part: Entry, left: Mapping[str, int] | None, facts: Mapping[str, FileFacts]) -> Entry:
        """The part's entry with the counts that are left, if it loses any; `facts` are those of the replaced files."""
        if left is None:
            return part
        files = {name: facts.get(name) or facts_of(self._path(name)) for name in part["files"]}
        return {**part, "files": {name: asdict(file) for name, file in files.items()}, **left}

    def _parts(self, unit: int) -> list[Entry]:
        parts: list[Entry] = self.manifest.commits[unit].extra["parts"]
        return parts

    def _ids(self) -> pa.Array:
        return pa.array(self.takedown.documents, pa.string())

    def _losses(self, unit: int) -> list[tuple[dict[str, int], int]]:
        sizes = self._text_bytes(unit)
        return [losses(self.folder, part, self._ids(), sizes) for part in self._parts(unit)]

    def _text_bytes(self, unit: int) -> dict[str, int]:
        """UTF-8 bytes of the unit's documents by doc_id, from the files that it was made of."""
        by_id: dict[str, int] = {}
        for shard in self._shards_of[unit]:
            for table in read_rows(self.shard_files.before(shard), ("doc_id", "text"), rows=self.shards[shard]):
                by_id |= dict(zip(table["doc_id"].to_pylist(), text_lengths(table).tolist(), strict=True))
        return by_id
