"""Takes documents out of a sealed dedup stage's key files, so that later runs against it no longer find them.

The keys of a shard are made again from the texts that the stage read, without the documents: a key that another
document of the shard has too now belongs to that one. Of the new keys only those are kept that the files had before,
because a pre-pass may have left some out. Keys that cannot be made again, which no later run reads, just lose the
documents' rows.
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
from curation.core.dedup_methods import DedupMethod
from curation.core.document import ROW_BITS, pack_doc, unpack_doc
from curation.core.manifest import Manifest, read_json, read_manifest, replace_json
from curation.core.protocols import Ints
from curation.core.settings import YamlFile, build
from curation.core.shard_files import ShardFiles
from curation.core.threads import map_threads
from curation.core.verbs import DEDUP
from curation.dedup.clusters.groups import find
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.keys import CANDIDATES, KeysStep, ShardKeys, columns_read
from curation.engine.dedup.layout import KEY_SCHEMA, KEYS, LINK_SCHEMA, Layout
from curation.engine.erase.replacing import replace_commits, replace_files
from curation.engine.recipe.earlier_runs import FORGOTTEN
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import ByKey, SentFile, by_receiver, sent_path, write_batches
from curation.engine.run.sent_files import opened, read_file

Remade = Keyed[DedupMethod | None]  # None: a method that cannot be made again
Writes = dict[str, Callable[[str], SentFile]]  # name of a file -> function that writes it at a path


def forget(folder: str, methods: Remade, keep: Keep, docs: Ints) -> None:
    """Replaces the key files of the shards that hold `docs` (int64[D], engine ids of the stage at `folder`) by ones
    without these documents and those forgotten before. `methods` and `keep` are the stage's; a method that is None only
    loses the documents' rows, which is enough because it links no equal keys.

    The ids are noted first, so that the call can be repeated after a crash. From then on the stage has another address
    for runs that are compared with it.
    """
    manifest = read_manifest(folder)
    assert manifest is not None, "only a sealed stage is read by later runs"
    note = storage.join(folder, FORGOTTEN)
    forgotten = np.unique([*(read_json(note) or []), *docs.tolist()]).astype(np.int64)
    replace_json(note, forgotten.tolist())
    files = _KeyFiles(folder, manifest, methods, keep, forgotten)
    by_file: dict[int, list[int]] = {}
    for shard in np.unique(unpack_doc(docs)[0]).tolist():
        by_file.setdefault(shard // files.exchange["key_shards"], []).append(shard)
    for number, shards in by_file.items():
        for step, commits in files.replace(number, shards).items():
            replace_commits(folder, commits, step)


def methods_of(manifest: Manifest) -> Remade:
    """The methods of a dedup stage, built from its manifest. None stands for one that loads files, has changed since,
    or whose keys no later run reads (of a second round, or for filters)."""
    return tuple((key, _method_of(manifest, key)) for key in manifest.order)


def _method_of(manifest: Manifest, key: str) -> DedupMethod | None:
    parts = manifest.address_parts
    kind = catalog.find(DEDUP, key)
    assert issubclass(kind, DedupMethod), "the catalog says so"
    if any(name.startswith(f"{key}.") for name in parts["assets"]) or kind.version != parts["versions"][key]:
        return None
    options = {option.name for option in dataclasses.fields(kind) if option.init}
    config = {option: value for option, value in parts["config"][key].items() if option in options}
    method = build(kind, YamlFile(manifest.name, None, {}), (key,), config)
    return method if method.read_later else None


def key_files(folder: str, manifest: Manifest, shards: Iterable[int]) -> list[str]:
    """Names, within the stage's folder, of the files that hold keys, links and signatures of the shards."""
    assert manifest.dedup is not None, "it is a dedup stage"
    exchange = manifest.dedup["exchange"]
    chosen = set(shards)
    names = [_key_file(exchange, number) for number in sorted({shard // exchange["key_shards"] for shard in chosen})]
    for name in storage.list_names(storage.join(folder, KEYS)):
        digits = name.removesuffix(".arrow").rpartition("-")[2]
        if not name.startswith(("_", "group-", "keys-")) and int(digits) in chosen:
            names.append(f"{KEYS}/{name}")
    return names


def _key_file(exchange: dict[str, Any], number: int) -> str:
    return sent_path("", exchange["key_step"], "keys", number)


@dataclass(frozen=True)
class _KeyFiles:
    """The key files of a stage, to be made anew without the forgotten documents."""

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
        """Replaces the rows of these shards in one file of keys, and the shards' other files; returns new commits by
        step."""
        new_keys = dict(zip(shards, map_threads(self._keys_of, shards), strict=True))
        name = _key_file(self.exchange, number)
        file = opened(storage.join(self.folder, name))
        table = file.read_all()
        batches = file.num_record_batches
        shard_of = np.asarray(table["doc"]) >> ROW_BITS
        keys = [table.filter(pa.array(~np.isin(shard_of, shards)))]
        for shard in shards:
            before = table.filter(pa.array(shard_of == shard))
            keys += [self._known(new_keys[shard].keys, before), self._others(before)]
        sorted_keys = partial(by_receiver, pa.concat_tables(keys), ByKey(), batches)
        of_keys: Writes = {name: lambda path: write_batches(path, table.schema, sorted_keys())}
        if self.exchange["key_step"] == KEYS:
            return {KEYS: [self._replaced(KEYS, number, of_keys | self._writes(number, new_keys[number]))]}
        own = [self._replaced(KEYS, shard, self._writes(shard, new_keys[shard])) for shard in shards]
        return {self.exchange["key_step"]: [self._replaced(self.exchange["key_step"], number, of_keys)], KEYS: own}

    def _keys_of(self, shard: int) -> ShardKeys:
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

    def _writes(self, shard: int, new: ShardKeys) -> Writes:
        """What writes the shard's files beside its keys."""
        writes: Writes = {}
        for name in key_files(self.folder, self.manifest, [shard])[1:]:
            what = name.partition("/")[2].rpartition("-")[0]
            if what in ("links", CANDIDATES):
                rows = new.links if what == "links" else new.candidates
            else:
                signed = new.signatures.get(what)
                kept = (
                    signed
                    if signed is not None
                    else self._without_forgotten(read_file(storage.join(self.folder, name)))
                )
                rows = kept.select(["doc", "signature"])
            writes[name] = partial(write_batches, schema=rows.schema, batches=[rows])
        return writes

    def _replaced(self, step: str, unit: int, writes: Writes) -> Commit:
        """Replaces the unit's files; returns its commit, which names the new ones."""
        group = read_group(group_path(self.folder, unit // GROUP_UNITS, step))
        old = next(commit for commit in group if commit.unit == unit)

        def recommit(written: dict[str, SentFile]) -> Commit:
            files = dict(old.extra["files"])
            lengths = dict(old.extra["lengths"])
            for name, file in written.items():
                files[name] = dataclasses.asdict(file.facts)
                lengths[name.partition("/")[2].rpartition("-")[0]] = file.lengths
            return dataclasses.replace(old, extra={**old.extra, "files": files, "lengths": lengths})

        return replace_files(self.folder, writes, recommit)

    def _known(self, keys: pa.Table, before: pa.Table) -> pa.Table:
        """The rows whose key the shard had before, with the columns of `before`."""
        if "vector" in before.column_names and "vector" not in keys.column_names:
            keys = keys.append_column("vector", pa.nulls(keys.num_rows, before.schema.field("vector").type))
        kept = np.zeros(keys.num_rows, bool)
        hi, lo, number = (np.asarray(keys[name]) for name in ("key_hi", "key_lo", "method"))
        old_hi, old_lo, old_number = (np.asarray(before[name]) for name in ("key_hi", "key_lo", "method"))
        for method in np.unique(number):
            own = np.flatnonzero(number == method)
            old = np.flatnonzero(old_number == method)
            old = old[np.lexsort((old_lo[old], old_hi[old]))]
            kept[own] = find(hi[own], lo[own], old_hi[old], old_lo[old]) >= 0
        return keys.select(before.schema.names).filter(pa.array(kept))

    def _others(self, before: pa.Table) -> pa.Table:
        """The rows of methods that cannot be made again, without the forgotten documents."""
        lost = [number for number, (_, method) in enumerate(self.methods) if method is None]
        return self._without_forgotten(before.filter(pa.array(np.isin(np.asarray(before["method"]), lost))))

    def _without_forgotten(self, rows: pa.Table) -> pa.Table:
        return rows.filter(pa.array(~np.isin(np.asarray(rows["doc"]), self.forgotten)))


@dataclass(frozen=True, kw_only=True)
class _KeysAgain(KeysStep):
    """The keys of the methods that can be made again; `numbers` are those that they have in the stage."""

    numbers: Mapping[str, int]

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        return [(self.numbers[key], key, method) for key, method in self.methods]
