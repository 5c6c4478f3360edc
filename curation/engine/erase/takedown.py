"""Takes documents out of one sealed stage, and seals it again with an audit record; safe to repeat after any crash.

The manifest's `audit` names each takedown, and a repeated attempt skips the stage. An entry has `takedown` (the number
in run.json), `when`, `documents`, `rows` (of token shards: rows of tokens), and `files`: {name: {before, after}},
BLAKE2b-256 in hex.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from curation.core import storage
from curation.core.manifest import TAKEN_DOWN, read_manifest
from curation.core.new_file import checksum_of
from curation.core.protocols import Ints
from curation.core.shard_files import ShardFiles
from curation.core.threads import map_threads
from curation.engine.erase.documents import erase_documents
from curation.engine.erase.replacing import Replacement
from curation.engine.erase.takedown_record import Takedown
from curation.engine.erase.token_shards import erase_tokens

Entry = dict[str, Any]  # of the audit


def erase(folder: str, shards: Mapping[int, Ints], takedown: Takedown) -> Entry | None:
    """Takes the rows (ascending) of each shard out of the stage at `folder`. Stages that it reads must come later,
    because their texts tell what its counts lose. Returns its audit entry; None where it holds nothing of documents."""
    replacement = Replacement(folder, TAKEN_DOWN)
    if not replacement.resume():
        storage.delete_folder(replacement.folder)
    manifest = read_manifest(folder)
    assert manifest is not None, "only sealed stages are changed"
    if not (manifest.verb.documents or manifest.verb.packs):
        return None
    for entry in manifest.audit:
        if entry["takedown"] == takedown.number:
            return entry
    stage = ShardFiles(folder, manifest)
    if manifest.verb.packs:
        erased = erase_tokens(stage, shards, takedown.documents, replacement)
    else:
        erased = erase_documents(stage, shards, replacement)

    def checksums(name: str) -> dict[str, str]:
        new = replacement.path(folder, name)
        return {"before": checksum_of(storage.join(folder, name)), "after": checksum_of(new)}

    files = dict(zip(erased.files, map_threads(checksums, erased.files), strict=True))
    counts = {"documents": erased.documents, "rows": erased.rows}
    entry = {"takedown": takedown.number, "when": takedown.when, **counts, "files": files}
    replacement.put_manifest(folder, replace(erased.manifest, audit=(*manifest.audit, entry)))
    replacement.finish()
    return entry
