"""Takes documents out of a sealed dedup stage's key files, so that nothing is a duplicate of them any more.

What later runs need to recognise their copies is kept apart, see `curation/engine/recipe/taken_keys.py`.
The keys of a shard are made again from the texts that the stage read, without the documents: a key that another
document of the shard has too now belongs to that one. Keys that cannot be made again, which no later run reads, just
lose the documents' rows.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core import catalog, storage
from curation.core.commits import GROUP_UNITS, Commit, group_path, read_group
from curation.core.component import Keyed
from curation.core.composed import read_rows
from curation.core.dedup_methods import DedupMethod
from curation.core.document import ROW_BITS, pack_doc, unpack_doc
from curation.core.manifest import TAKEN_KEYS, Manifest, replace_json
from curation.core.new_file import checksum_of
from curation.core.protocols import Ints
from curation.core.settings import YamlFile, build
from curation.core.shard_files import ShardFiles
from curation.core.threads import map_threads
from curation.core.verbs import DEDUP
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.keys import CANDIDATES, KeysStep, ShardKeys, columns_read
from curation.engine.dedup.layout import KEY_SCHEMA, KEYS, LINK_SCHEMA, Layout
from curation.engine.dedup.taken import left_of, taken_schema
from curation.engine.erase.replacing import Replacement
from curation.engine.recipe.earlier_runs import FORGOTTEN, read_forgotten
from curation.engine.recipe.taken_keys import keeps_keys, taken_path
from curation.engine.run.part_files import one_batch, read_part
from curation.engine.run.routing import ByKey, SentFile, by_receiver, sent_path, write_batches
from curation.engine.run.sent_files import opened, read_file

Remade = Keyed[DedupMethod | None]  # None: a method that cannot be made again


def forget(
    replacement: Replacement, stage: ShardFiles, methods: Remade, keep: Keep, docs: Ints
) -> dict[str, dict[str, str]]:
    """Writes the key files of the shards that hold `docs` (int64[D], engine ids of the stage) without these documents
    and those forgotten before. `methods` and `keep` are the stage's; a method that is None only loses the documents'
    rows, which is enough because it links no equal keys. Afterwards the stage has another address for runs that are
    compared with it. Returns the checksums of the key files, {"before", "after"} by name."""
    forgotten = np.unique([*read_forgotten(stage.folder), *docs.tolist()]).astype(np.int64)
    replace_json(replacement.path(stage.folder, FORGOTTEN), forgotten.tolist())
    files = _KeyFiles(replacement, stage, methods, keep, forgotten)
    checksums = _keep_keys(replacement, stage, methods, docs)
    by_file = defaultdict[int, list[int]](list)
    for shard in np.unique(unpack_doc(docs)[0]).tolist():
        by_file[shard // files.exchange["key_shards"]].append(shard)
    written = defaultdict[str, dict[int, dict[str, SentFile]]](lambda: defaultdict(dict))  # by step, unit and name
    for number, shards in by_file.items():
        new_keys = dict(zip(shards, map_threads(files.keys_of, shards), strict=True))
        name = sent_path("", files.exchange["key_step"], "keys", number)
        written[files.exchange["key_step"]][number][name] = files.write_keys(name, new_keys)
        for shard, keys in new_keys.items():
            written[KEYS][shard] |= files.write_others(shard, keys)
    for step, units in written.items():
        groups = {unit // GROUP_UNITS for unit in units}
        old = [commit for group in groups for commit in read_group(group_path(stage.folder, group, step))]
        changed = [commit for commit in old if commit.unit in units]
        for commit in changed:
            before = commit.extra["files"]
            after = {name: file.facts.blake2b for name, file in units[commit.unit].items()}
            checksums |= {name: {"before": before[name]["blake2b"], "after": new} for name, new in after.items()}
        new_commits = [_with_files(commit, units[commit.unit]) for commit in changed]
        replacement.put_commits(stage.folder, new_commits, step)
    return checksums


def _keep_keys(replacement: Replacement, stage: ShardFiles, methods: Remade, docs: Ints) -> dict[str, dict[str, str]]:
    """Adds the keys of `docs` to those that are left of documents taken down before, while their texts are there.
    Returns the checksums as `forget` does, empty before for a file that is new."""
    shards, rows = unpack_doc(np.sort(docs))
    storage.make_folder(storage.join(stage.folder, TAKEN_KEYS))  # into which the new files are moved
    checksums = {}
    for key, method in methods:
        if method is None or not keeps_keys(method):
            continue
        old = taken_path(stage.folder, key)
        there = storage.exists(old)
        tables = [read_file(old) if there else taken_schema(method).empty_table()]
        for shard in np.unique(shards).tolist():
            texts = read_rows(stage.files(shard), method.reads, rows=rows[shards == shard])
            tables += [left_of(method, one_batch(table)) for table in texts]
        name = storage.join(TAKEN_KEYS, f"{key}.arrow")
        kept = pa.concat_tables(tables)
        file = write_batches(replacement.path(stage.folder, name), kept.schema, [kept])
        checksums[name] = {"before": checksum_of(old) if there else "", "after": file.facts.blake2b}
    return checksums


def _with_files(commit: Commit, written: Mapping[str, SentFile]) -> Commit:
    """The commit with the facts of its unit's new files."""
    files = {name: asdict(file.facts) for name, file in written.items()}
    lengths = {name.partition("/")[2].rpartition("-")[0]: file.lengths for name, file in written.items()}
    extra = {"files": commit.extra["files"] | files, "lengths": commit.extra["lengths"] | lengths}
    return dataclasses.replace(commit, extra={**commit.extra, **extra})


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


@dataclass(frozen=True)
class _KeyFiles:
    """The key files of a stage, to be made anew without the forgotten documents."""

    replacement: Replacement
    stage: ShardFiles
    methods: Remade
    keep: Keep
    forgotten: Ints

    @property
    def exchange(self) -> dict[str, Any]:
        assert self.stage.manifest.dedup is not None, "it is a dedup stage"
        exchange: dict[str, Any] = self.stage.manifest.dedup["exchange"]
        return exchange

    def keys_of(self, shard: int) -> ShardKeys:
        """The shard's keys without the forgotten documents, of the methods that can be made again."""
        methods = tuple((key, method) for key, method in self.methods if method is not None)
        columns = columns_read(methods, self.keep)

        def tables() -> Iterator[pa.Table]:
            for table in read_part(self.stage.files(shard), columns=columns, kept_only=False):
                docs = pack_doc(shard, np.asarray(table["_row"]))
                yield table.filter(pa.array(~np.isin(docs, self.forgotten)))

        if not methods:
            empty = LINK_SCHEMA.empty_table()
            return ShardKeys(KEY_SCHEMA.empty_table(), empty, empty, {}, [], {})
        numbers = {key: number for number, (key, _) in enumerate(self.methods)}
        layout = Layout(self.stage.folder, len(self.stage.manifest.shards), 1)
        return _KeysAgain(layout, methods, columns, self.keep, numbers=numbers).keys_of(shard, tables())

    def write_keys(self, name: str, new_keys: Mapping[int, ShardKeys]) -> SentFile:
        """Writes the file of keys with these rows of their shards."""
        file = opened(storage.join(self.stage.folder, name))
        table = file.read_all()
        shards = np.asarray(table["doc"]) >> ROW_BITS
        lost = [number for number, (_, method) in enumerate(self.methods) if method is None]
        kept = [table.filter(pa.array(~np.isin(shards, list(new_keys))))]
        for shard, keys in new_keys.items():
            others = pa.array((shards == shard) & np.isin(np.asarray(table["method"]), lost))
            kept += [keys.keys, self._without_forgotten(table.filter(others))]
        rows = pa.concat_tables(kept, promote_options="default")  # only methods that are not made again have vectors
        path = self.replacement.path(self.stage.folder, name)
        return write_batches(path, table.schema, by_receiver(rows, ByKey(), file.num_record_batches))

    def write_others(self, shard: int, new: ShardKeys) -> dict[str, SentFile]:
        """Writes the shard's links, candidates and signatures; returns them by name."""
        written = {}
        for file in storage.list_names(storage.join(self.stage.folder, KEYS)):
            what, _, digits = file.removesuffix(".arrow").rpartition("-")
            if file.startswith("_") or what in ("group", "keys") or int(digits) != shard:
                continue
            name = f"{KEYS}/{file}"
            if what in ("links", CANDIDATES):
                rows = new.links if what == "links" else new.candidates
            elif what in new.signatures:
                rows = new.signatures[what].select(["doc", "signature"])
            else:
                rows = self._without_forgotten(read_file(storage.join(self.stage.folder, name)))
            written[name] = write_batches(self.replacement.path(self.stage.folder, name), rows.schema, [rows])
        return written

    def _without_forgotten(self, rows: pa.Table) -> pa.Table:
        return rows.filter(pa.array(~np.isin(np.asarray(rows["doc"]), self.forgotten)))


@dataclass(frozen=True, kw_only=True)
class _KeysAgain(KeysStep):
    """The keys of the methods that can be made again; `numbers` are those that they have in the stage."""

    numbers: Mapping[str, int]

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        return [(self.numbers[key], key, method) for key, method in self.methods]
