"""Takes documents out of a sealed dedup stage's key files, so that later runs against it no longer find them.

The keys of a shard are made again from the texts that the stage read, without the documents: a key that another
document of the shard has too then stands for that one. After a pre-pass only those are kept that were there before. Of
keys that no later run reads, as those of a second round, the documents' rows are left out.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from curation.core import catalog, storage
from curation.core.commits import GROUP_UNITS, Commit, group_path, read_group
from curation.core.component import Keyed
from curation.core.composed import Files
from curation.core.document import bucket_of, pack_doc, unpack_doc
from curation.core.manifest import Manifest, read_json, read_manifest, replace_json
from curation.core.protocols import DedupMethod, Ints, Members, Refines
from curation.core.settings import YamlFile, build
from curation.core.shard_files import ShardFiles
from curation.core.threads import map_threads
from curation.core.verbs import DEDUP
from curation.dedup.clusters.groups import find
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.earlier_runs import FORGOTTEN
from curation.engine.dedup.keys import KeysStep, ShardKeys, columns_read
from curation.engine.dedup.layout import KEY_SCHEMA, KEYS, LINK_SCHEMA, REFINED, Layout
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import read_routed, write_routed, write_table
from curation.engine.takedown.replacing import replace_commits, replace_files

Remade = Keyed[DedupMethod | None]  # None: a method that cannot be made again


def forget(folder: str, methods: Remade, keep: Keep, docs: Ints) -> None:
    """Makes the key files of the shards with documents int64[D] (engine ids of the stage at `folder`) anew without them
    and without those forgotten before; `methods` and `keep` are the stage's. Of a method that is None the rows of these
    documents are left out, which is all where it links no equal keys.

    A key that another document has too stays, as that one's. Noted first, so that it is safe to do again after a crash;
    from then on the stage counts as another one for the addresses of runs against it.
    """
    manifest = read_manifest(folder)
    assert manifest is not None, "only a sealed stage is read by later runs"
    note = storage.join(folder, FORGOTTEN)
    forgotten = np.unique([*(read_json(note) or []), *docs.tolist()]).astype(np.int64)
    replace_json(note, forgotten.tolist())
    layout = Layout(folder, len(manifest.parts), manifest.address_parts["buckets"])
    again = _Again(layout, methods, keep, forgotten, key_files(layout))
    shards, stage = np.unique(unpack_doc(docs)[0]).tolist(), ShardFiles(folder, manifest)
    new = map_threads(lambda shard: again.shard(shard, stage.files(shard)), shards)
    for step in (KEYS, REFINED):
        replace_commits(folder, [commits[step] for commits in new if step in commits], step)


def methods_of(manifest: Manifest) -> Remade:
    """Those of a dedup stage, made from what its manifest says of them. None stands for one that loads files, whose
    keys no later run reads (in two rounds, or for filters), or that has changed since."""
    return tuple((key, _method_of(manifest, key)) for key in manifest.order)


def _method_of(manifest: Manifest, key: str) -> DedupMethod | None:
    parts = manifest.address_parts
    kind: type[DedupMethod] = catalog.find(DEDUP, key)
    if any(name.startswith(f"{key}.") for name in parts["assets"]) or kind.version != parts["versions"][key]:
        return None
    options = {option.name for option in dataclasses.fields(kind) if option.init}
    config = {option: value for option, value in parts["config"][key].items() if option in options}
    method = build(kind, YamlFile(manifest.name, None, {}), (key,), config)
    return None if isinstance(method, Members | Refines) else method


def key_files(layout: Layout) -> dict[int, list[str]]:
    """Names, within the stage's folder, of the files that hold each shard's keys, links and signatures."""
    by_shard: dict[int, list[str]] = {}
    for folder in (KEYS, REFINED):
        for name in storage.list_names(storage.join(layout.folder, folder)):
            if name.endswith(".arrow") and not name.startswith(("_", "group-")):
                shard = int(name.removesuffix(".arrow").rpartition("-")[2])
                by_shard.setdefault(shard, []).append(f"{folder}/{name}")
    return by_shard


@dataclass(frozen=True)
class _Again:
    """Key files made anew, shard by shard."""

    layout: Layout
    methods: Remade
    keep: Keep
    forgotten: Ints
    files: dict[int, list[str]]

    def shard(self, shard: int, texts: Files) -> dict[str, Commit]:
        """Replaces the shard's files; returns its new commits by step."""
        methods = tuple((key, method) for key, method in self.methods if method is not None)
        columns = columns_read(methods, self.keep)

        def tables() -> Iterator[pa.Table]:
            for table in read_part(texts, columns=columns, kept_only=False):
                docs = pack_doc(shard, np.asarray(table["_row"]))
                yield table.filter(pa.array(~np.isin(docs, self.forgotten)))

        nothing = ShardKeys(KEY_SCHEMA.empty_table(), LINK_SCHEMA.empty_table(), {}, [])
        numbers = {key: number for number, (key, _) in enumerate(self.methods)}
        again = _KeysAgain(self.layout, methods, columns, self.keep, numbers=numbers)
        commits = {KEYS: self._replace(shard, again.keys_of(shard, tables()) if methods else nothing)}
        if storage.exists(self.layout.second().keys(shard)):
            unread = tuple((key, None) for key, _ in self.methods)
            second = dataclasses.replace(self, layout=self.layout.second(), methods=unread)
            commits[REFINED] = second._replace(shard, nothing)
        return commits

    def _replace(self, shard: int, made: ShardKeys) -> Commit:
        """Puts a round's files of the shard in the place of the old ones; returns its commit with their sizes."""
        layout = self.layout
        before = pa.concat_tables([read_routed(layout.keys(shard), bucket) for bucket in range(layout.buckets)])
        keys = pa.concat_tables([self._known(made.keys, before), self._others(before)])
        bucket = bucket_of(np.asarray(keys["key_hi"]), layout.buckets)
        writes: dict[str, Callable[[str], None]] = {}
        for name in self.files[shard]:
            folder, _, file = name.partition("/")
            method = file.rpartition("-")[0]
            if folder != layout.keyed:
                continue
            if method == "keys":
                writes[name] = lambda path: write_routed(path, keys, bucket, layout.buckets)
            elif method == "links":
                writes[name] = partial(write_table, table=made.links)
            else:
                signed = made.signatures.get(method)
                kept = signed if signed is not None else self._left(read_routed(storage.join(layout.folder, name)))
                writes[name] = partial(write_table, table=kept.select(["doc", "signature"]))
        group = read_group(group_path(layout.folder, shard // GROUP_UNITS, layout.keyed))
        old = next(commit for commit in group if commit.unit == shard)
        counts = {"rows": keys.num_rows, "found": keys.num_rows, "links": made.links.num_rows}

        def recommit(_: object) -> Commit:
            files = {name: storage.join(layout.folder, name) for name in old.extra.get("files", ())}
            sizes = {name: {"bytes": storage.size(storage.beside_of(path))} for name, path in files.items()}
            return dataclasses.replace(old, extra={**old.extra, **counts, "files": sizes})

        return replace_files(layout.folder, writes, recommit)

    def _known(self, keys: pa.Table, before: pa.Table) -> pa.Table:
        """Rows whose key the shard had before, in the form of those."""
        if "vector" in before.column_names and "vector" not in keys.column_names:
            keys = keys.append_column("vector", pa.nulls(keys.num_rows, before.schema.field("vector").type))
        kept = np.zeros(keys.num_rows, bool)
        hi, lo, number = (np.asarray(keys[name]) for name in ("key_hi", "key_lo", "method"))
        old_hi, old_lo, old_number = (np.asarray(before[name]) for name in ("key_hi", "key_lo", "method"))
        for one in np.unique(number):
            own, old = np.flatnonzero(number == one), np.flatnonzero(old_number == one)
            old = old[np.lexsort((old_lo[old], old_hi[old]))]
            kept[own] = find(hi[own], lo[own], old_hi[old], old_lo[old]) >= 0
        return keys.select(before.schema.names).filter(pa.array(kept))

    def _others(self, before: pa.Table) -> pa.Table:
        """Rows of methods that are not made again, of other documents."""
        lost = [number for number, (_, method) in enumerate(self.methods) if method is None]
        return self._left(before.filter(pa.array(np.isin(np.asarray(before["method"]), lost))))

    def _left(self, rows: pa.Table) -> pa.Table:
        return rows.filter(pa.array(~np.isin(np.asarray(rows["doc"]), self.forgotten)))


@dataclass(frozen=True, kw_only=True)
class _KeysAgain(KeysStep):
    """Keys of what a dedup stage wrote, of the methods that can be made again; `numbers` are theirs in that stage."""

    numbers: Mapping[str, int]

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        return [(self.numbers[key], key, method) for key, method in self.methods]
