"""Keys of documents that were taken down: by them a dedup stage recognises copies of what has no text any more.

A dedup stage that forgets documents leaves, for each method that later runs can be compared by, a file of their keys or
signatures. These are hashes: of a text, a URL, a line or a paragraph, or the least hashes of a text's shingles. Vectors
are not kept, because they tell what a text is about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curation.core import storage
from curation.core.component import Keyed
from curation.core.dedup_methods import DedupMethod, Links, Methods, Spans
from curation.core.manifest import TAKEN_KEYS, Manifest, plain, read_manifest
from curation.engine.recipe.assets import address_config, hashes

_STAGE = re.compile(r"\d+-.*-[0-9a-f]{8}")  # name of a stage's folder


@dataclass(frozen=True)
class TakenKeys:
    """The file of the keys that a method of this name made; `sha256` of its content."""

    method: str
    path: str
    sha256: str


def keeps_keys(method: DedupMethod) -> bool:
    """Whether keys of a method are kept once their documents are taken down."""
    comparable = isinstance(method, Links | Spans) and method.read_later and method.rounds == 1
    return comparable and not method.has_vectors


def taken_path(stage: str, method: str) -> str:
    """The file of a method's keys in the folder of a stage."""
    return storage.join(stage, TAKEN_KEYS, f"{method}.arrow")


def find_taken_keys(runs: Sequence[str], methods: Methods) -> list[TakenKeys]:
    """The files that dedup stages of other runs left, of those of the methods that have the same options there."""
    wanted = tuple((key, method) for key, method in methods if keeps_keys(method))
    return [keys for run in runs for keys in _of_run(run, wanted)] if wanted else []


def _of_run(run: str, methods: Keyed[DedupMethod]) -> Iterator[TakenKeys]:
    for name in storage.list_names(run):
        folder = storage.join(run, name)
        if _STAGE.fullmatch(name) and TAKEN_KEYS in storage.list_names(folder):
            manifest = read_manifest(folder)
            own = [entry for entry in methods if manifest is not None and _same(manifest, entry)]
            for key in (key for key, _ in own if storage.exists(taken_path(folder, key))):
                yield TakenKeys(key, taken_path(folder, key), storage.sha256(taken_path(folder, key)))


def _same(manifest: Manifest, entry: tuple[str, DedupMethod]) -> bool:
    """Whether the stage has the method with the same options, version and files."""
    key, method = entry
    parts = manifest.address_parts
    loaded = {name: digest for name, digest in parts["assets"].items() if name.startswith(f"{key}.")}
    return (
        parts["config"].get(key) == plain(address_config((entry,)))[key]
        and parts["versions"][key] == method.version
        and loaded == hashes((entry,))
    )
