"""Takes documents out of a sealed dedup stage's key files, so that later runs against it no longer find them.

The keys of a shard are made again from the texts that the stage read, without the documents: a key that another
document of the shard has too then stands for that one. After a pre-pass only those are kept that were there before. Of
keys that no later run reads, the documents' rows are left out.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core import catalog, storage
from curation.core.commits import GROUP_UNITS, Commit, group_path, read_group
from curation.core.component import Keyed
from curation.core.document import ROW_BITS, pack_doc, unpack_doc
from curation.core.manifest import Manifest, read_json, read_manifest, replace_json
from curation.core.protocols import DedupMethod, Ints, Members, Refines
from curation.core.settings import YamlFile, build
from curation.core.shard_files import ShardFiles
from curation.core.threads import map_threads
from curation.core.verbs import DEDUP
from curation.dedup.clusters.groups import find
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.earlier_runs import FORGOTTEN
from curation.engine.dedup.keys import CANDIDATES, KeysStep, ShardKeys, columns_read
from curation.engine.dedup.layout import KEY_SCHEMA, KEYS, LINK_SCHEMA, Layout
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import ByKey, RoutedFile, by_receiver, sent_path, write_batches
from curation.engine.run.sent_files import opened, read_file
from curation.engine.takedown.replacing import replace_commits, replace_files

Remade = Keyed[DedupMethod | None]  # None: a method that cannot be made again
Writes = dict[str, Callable[[str], RoutedFile]]  # what writes a file at a path, by its name


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
    again = _Again(folder, manifest, methods, keep, forgotten)
    by_file: dict[int, list[int]] = {}
    for shard in np.unique(unpack_doc(docs)[0]).tolist():
        by_file.setdefault(shard // again.exchange["key_shards"], []).append(shard)
    for number, shards in by_file.items():
        for step, commits in again.replace(number, shards).items():
            replace_commits(folder, commits, step)


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


def key_files(folder: str, manifest: Manifest, shards: Iterable[int]) -> list[str]:
    """Names, within the stage's folder, of the files that hold keys, links and signatures of the shards."""
    assert manifest.dedup is not None, "it is a dedup stage"
    exchange, chosen = manifest.dedup["exchange"], set(shards)
    names = [_key_file(exchange, number) for number in sorted({one // exchange["key_shards"] for one in chosen})]
    for name in storage.list_names(storage.join(folder, KEYS)):
        digits = name.removesuffix(".arrow").rpartition("-")[2]
        if not name.startswith(("_", "group-", "keys-")) and int(digits) in chosen:
            names.append(f"{KEYS}/{name}")
    return names


def _key_file(exchange: dict[str, Any], number: int) -> str:
    return sent_path("", exchange["key_step"], "keys", number)


@dataclass(frozen=True)
class _Again:
    """Key files made anew."""

    folder: str
    manifest: Manifest
    methods: Remade
    keep: Keep
    forgotten: Ints

    @property
    def exchange(self) -> dict[str, Any]:
        assert self.manifest.dedup is not None, "it is a dedup stage"
        exchange: dict[str, Any] = self.manifest.dedup["exchange"]
        return exchange

    def replace(self, number: int, shards: list[int]) -> dict[str, list[Commit]]:
        """Replaces one file of keys, with those of these shards in it, and their other files; returns new commits by
        step."""
        made = dict(zip(shards, map_threads(self._made, shards), strict=True))
        name = _key_file(self.exchange, number)
        file = opened(storage.join(self.folder, name))
        table, batches = file.read_all(), file.num_record_batches
        shard_of = np.asarray(table["doc"]) >> ROW_BITS
        keys = [table.filter(pa.array(~np.isin(shard_of, shards)))]
        for shard in shards:
            before = table.filter(pa.array(shard_of == shard))
            keys += [self._known(made[shard].keys, before), self._others(before)]
        sorted_keys = partial(by_receiver, pa.concat_tables(keys), ByKey(), batches)
        of_keys: Writes = {name: lambda path: write_batches(path, table.schema, sorted_keys())}
        if self.exchange["key_step"] == KEYS:
            return {KEYS: [self._replaced(KEYS, number, of_keys | self._writes(number, made[number]))]}
        own = [self._replaced(KEYS, shard, self._writes(shard, made[shard])) for shard in shards]
        return {self.exchange["key_step"]: [self._replaced(self.exchange["key_step"], number, of_keys)], KEYS: own}

    def _made(self, shard: int) -> ShardKeys:
        """The shard's keys without the forgotten documents, of the methods that can be made again."""
        methods = tuple((key, method) for key, method in self.methods if method is not None)
        columns = columns_read(methods, self.keep)
        texts = ShardFiles(self.folder, self.manifest).files(shard)

        def tables() -> Iterator[pa.Table]:
            for table in read_part(texts, columns=columns, kept_only=False):
                docs = pack_doc(shard, np.asarray(table["_row"]))
                yield table.filter(pa.array(~np.isin(docs, self.forgotten)))

        if not methods:
            empty = LINK_SCHEMA.empty_table()
            return ShardKeys(KEY_SCHEMA.empty_table(), empty, empty, {}, [], {})
        numbers = {key: number for number, (key, _) in enumerate(self.methods)}
        layout = Layout(self.folder, len(self.manifest.shards), 1)
        return _KeysAgain(layout, methods, columns, self.keep, numbers=numbers).keys_of(shard, tables())

    def _writes(self, shard: int, made: ShardKeys) -> Writes:
        """How the shard's files beside its keys are written, by name."""
        writes: Writes = {}
        for name in key_files(self.folder, self.manifest, [shard])[1:]:
            what = name.partition("/")[2].rpartition("-")[0]
            if what in ("links", CANDIDATES):
                rows = made.links if what == "links" else made.candidates
            else:
                signed = made.signatures.get(what)
                kept = signed if signed is not None else self._left(read_file(storage.join(self.folder, name)))
                rows = kept.select(["doc", "signature"])
            writes[name] = partial(write_batches, schema=rows.schema, batches=[rows])
        return writes

    def _replaced(self, step: str, unit: int, writes: Writes) -> Commit:
        """Puts the files in the place of the old ones; returns the unit's commit that names them."""
        group = read_group(group_path(self.folder, unit // GROUP_UNITS, step))
        old = next(commit for commit in group if commit.unit == unit)

        def recommit(written: dict[str, RoutedFile]) -> Commit:
            files, lengths = dict(old.extra["files"]), dict(old.extra["lengths"])
            for name, file in written.items():
                files[name] = dataclasses.asdict(file.facts)
                lengths[name.partition("/")[2].rpartition("-")[0]] = file.lengths
            return dataclasses.replace(old, extra={**old.extra, "files": files, "lengths": lengths})

        return replace_files(self.folder, writes, recommit)

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
