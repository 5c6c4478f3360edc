"""Earlier runs that a dedup stage is compared with: their sealed key files are read as further shards."""

from dataclasses import dataclass
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, RUN, Manifest, plain, read_json, read_manifest, read_run
from curation.engine.assets import address_config
from curation.engine.dedup.kinds import is_membership
from curation.engine.dedup.layout import Earlier

FORGOTTEN = "_forgotten.json"  # engine ids of documents that the stage's key files no longer hold


@dataclass(frozen=True)
class Found:
    """A sealed dedup stage of an earlier run."""

    folder: str
    manifest: Manifest
    methods: tuple[int, ...]

    @property
    def address(self) -> str:
        """Of the stage; another one once it has forgotten documents."""
        forgotten = read_json(storage.join(self.folder, FORGOTTEN))
        return self.manifest.address + (f"-{forgotten}" if forgotten else "")

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(storage.join(self.folder, part.file) for part in self.manifest.parts)

    def place(self, first: int) -> Earlier:
        return Earlier(self.folder, first, len(self.manifest.parts), self.methods)


def find_earlier(path: str, methods: tuple[tuple[str, Any], ...], buckets: int) -> Found:
    """The last sealed dedup stage at `path` (a run's folder, or the stage's own) that has all these methods.

    Raises InputError where there is none, saying what differs.
    """
    path = storage.absolute(path)
    tried = []
    for folder in reversed(_stages(path)):
        manifest = read_manifest(folder)
        if manifest is None or manifest.verb != "dedup":
            continue
        wrong = _difference(manifest, methods, buckets)
        if wrong is None:
            names = [key for key, _ in methods]
            order = manifest.address_parts["order"]
            numbers = tuple(names.index(key) if key in names else -1 for key in order)
            return Found(folder, manifest, numbers)
        tried.append(f"{manifest.name} {wrong}")
    seen = "; ".join(tried) or "it has no sealed dedup stage"
    raise InputError(f"against: {path} has no dedup stage to compare with: {seen}")


def _stages(path: str) -> list[str]:
    if storage.exists(storage.join(path, MANIFEST)):
        return [path]
    if not storage.exists(storage.join(path, RUN)):
        raise InputError(f"against: {path} is neither a run nor a sealed stage; give the folder of an earlier run")
    return [storage.join(path, entry.folder) for entry in read_run(path).stages]


def _difference(manifest: Manifest, methods: tuple[tuple[str, Any], ...], buckets: int) -> str | None:
    parts = manifest.address_parts
    if parts["buckets"] != buckets:
        return f"has {parts['buckets']} buckets, this recipe {buckets}: give both the same `buckets:`"
    if parts.get("prepass"):
        return "had a prepass, so keys that occur once are not in its files; curate it without"
    for key, method in methods:
        if is_membership(method):
            continue
        if key not in parts["config"]:
            return f"has no {key}"
        config = plain(address_config(((key, method),)))[key]
        if parts["config"][key] != config or parts["versions"][key] != method.version:
            return f"has {key} with other options: {parts['config'][key]}, here {config}"
    return None
