"""Earlier runs that a dedup stage is compared with: their sealed key files are read as further shards."""

import hashlib
import json
from dataclasses import dataclass

from curation.core import storage
from curation.core.composed import Files
from curation.core.dedup_methods import Methods
from curation.core.errors import InputError
from curation.core.json_files import find_shape
from curation.core.manifest import ANEW, MANIFEST, RUN, Manifest, plain, read_manifest, read_run
from curation.core.shard_files import ShardFiles
from curation.engine.recipe.assets import address_config, hashes

FORGOTTEN = "_forgotten.json"  # engine ids of documents that the stage's key files no longer hold


@dataclass(frozen=True)
class EarlierStage:
    """A sealed dedup stage of an earlier run."""

    folder: str
    manifest: Manifest
    methods: tuple[int, ...]

    @property
    def address(self) -> str:
        """The stage's address, which changes when it forgets documents."""
        forgotten = read_forgotten(self.folder)
        mark = hashlib.sha256(json.dumps(forgotten).encode()).hexdigest() if forgotten else ""
        return self.manifest.address + mark

    @property
    def texts(self) -> tuple[Files, ...]:
        """The files of each shard."""
        return tuple(ShardFiles(self.folder, self.manifest).all_files())


def read_forgotten(folder: str) -> list[int]:
    """The documents that a dedup stage forgot."""
    return find_shape(storage.join(folder, FORGOTTEN), list[int], ANEW) or []


def find_earlier(path: str, methods: Methods) -> list[EarlierStage]:
    """The sealed dedup stages at `path`, the folder of a run or of one stage, that have all these methods: one in each
    source's chain, or the one that joins them.

    Raises InputError where there is none, and says what differs.
    """
    path = storage.absolute(path)
    stages = []
    tried = []
    sealed = {}
    for folder in folders_of(path):
        manifest = read_manifest(folder)
        if manifest is not None:
            sealed[manifest.address] = manifest
        if manifest is None or not manifest.verb.clusters:
            continue
        wrong = _difference(manifest, methods)
        if wrong is None:
            names = [key for key, _ in methods]
            order = manifest.address_parts["order"]
            numbers = tuple(names.index(key) if key in names else -1 for key in order)
            stages.append(EarlierStage(folder, manifest, numbers))
        else:
            tried.append(f"{manifest.name} {wrong}")
    before = {address for stage in stages for address in _upstream(stage.manifest, sealed)}
    if stages:
        return [stage for stage in stages if stage.manifest.address not in before]
    seen = "; ".join(tried) or "it has no sealed dedup stage"
    raise InputError(f"{path} has no dedup stage to compare with: {seen}")


def _upstream(manifest: Manifest, sealed: dict[str, Manifest]) -> set[str]:
    """Addresses of all stages before this one."""
    addresses = set(manifest.address_parts["upstream"])
    return addresses.union(*(_upstream(sealed[address], sealed) for address in addresses if address in sealed))


def folders_of(path: str) -> list[str]:
    """The stages of the run at `path`, or `path` itself if it is a stage. Raises InputError where it is neither."""
    if storage.exists(storage.join(path, MANIFEST)):
        return [path]
    if not storage.exists(storage.join(path, RUN)):
        raise InputError(f"{path} is neither a run nor a sealed stage; give the folder of an earlier run")
    return [storage.join(path, entry.folder) for entry in read_run(path).stages]


def _difference(manifest: Manifest, methods: Methods) -> str | None:
    """Why the keys of the stage cannot be compared with these methods' keys; None where they can."""
    parts = manifest.address_parts
    if parts.get("prepass"):
        return "had a prepass, so keys that occur once are not in its files; curate it without"
    for key, method in methods:
        if not method.read_later:
            continue
        if key not in parts["config"]:
            return f"has no {key}"
        config = plain(address_config(((key, method),)))[key]
        if parts["config"][key] != config or parts["versions"][key] != method.version:
            return f"has {key} with other options: {parts['config'][key]}, here {config}"
        loaded = {name: digest for name, digest in parts["assets"].items() if name.startswith(f"{key}.")}
        if loaded != hashes(((key, method),)):
            return f"has {key} with other files: fit or make them once, and give both runs the same"
    return None
