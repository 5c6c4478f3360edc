"""Records takedowns in `run.json`, and takes their documents out of one sealed stage after the other.

The tombstones come first, so that the documents stay out whatever happens afterwards. An entry of `takedowns` has
`when` (ISO 8601, UTC), `request` (BLAKE2b-256 of the file that asked) or `of` (the runs and lists whose removals it
settles), `tombstones`, `texts` and `urls` (how many of the run's `tombstones`, `taken_texts` and `taken_urls` are its
own), what was known before anything was changed, and `finished`; once that is
true also `rows`, `files` and `stages` (folders) that were changed. Who asked is not recorded.

A stage is sealed again with an audit record; a repeated attempt skips the stages whose manifest's `audit` names the
takedown. An entry there has `takedown` (the number in run.json), `when`, `documents`, `rows` (of token shards: rows of
tokens), and `files`: {name: {before, after}}, BLAKE2b-256 in hex.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from curation.core import storage
from curation.core.manifest import RUN, TAKEN_DOWN, RunRecord, read_manifest, read_run, replace_json
from curation.core.protocols import Ints
from curation.core.shard_files import ShardFiles
from curation.engine.erase.documents import erase_documents
from curation.engine.erase.replacing import Replacement
from curation.engine.erase.token_shards import erase_tokens

Entry = dict[str, Any]  # of the audit


@dataclass(frozen=True)
class Takedown:
    """One takedown of a run: its number there, when it was asked for, and its own doc_ids."""

    number: int
    when: str
    documents: tuple[str, ...]


def begin(
    folder: str, documents: Sequence[str], texts: Sequence[str], entry: dict[str, Any], urls: Sequence[str] = ()
) -> Takedown:
    """Adds the tombstones, the hashes of their `texts` and of the `urls` that were asked for, and the entry (with
    `when`, and `request` or `of`) to run.json."""
    run = read_run(folder)
    texts = _unknown(texts, run.taken_texts)
    urls = _unknown(urls, run.taken_urls)
    counts = {"tombstones": len(documents), "texts": len(texts), **({"urls": len(urls)} if urls else {})}
    run = replace(
        run,
        tombstones=(*run.tombstones, *documents),
        taken_texts=(*run.taken_texts, *texts),
        taken_urls=(*run.taken_urls, *urls),
        takedowns=(*run.takedowns, {**entry, **counts, "finished": False}),
    )
    _write(folder, run)
    return takedowns(run)[-1]


def _unknown(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names that are not known yet, each once."""
    before = set(known)
    return [name for name in dict.fromkeys(names) if name not in before]


def settled(folder: str) -> None:
    """Records that nothing of the run's removals is left in its files."""
    _write(folder, replace(read_run(folder), unsettled=""))


def unfinished(folder: str) -> list[Takedown]:
    """The takedowns that were cut off."""
    run = read_run(folder)
    return [takedown for takedown in takedowns(run) if not run.takedowns[takedown.number]["finished"]]


def finish(folder: str, takedown: Takedown, changed: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Ends the entry and returns it; `changed` are stages' folder names, each with what its manifest's audit says."""
    run = read_run(folder)
    entry = {
        **run.takedowns[takedown.number],
        "finished": True,
        "rows": sum(audit["rows"] for _, audit in changed),
        "files": sum(len(audit["files"]) for _, audit in changed),
        "stages": [name for name, _ in changed],
    }
    entries = list(run.takedowns)
    entries[takedown.number] = entry
    _write(folder, replace(run, takedowns=tuple(entries)))
    return entry


def takedowns(run: RunRecord) -> list[Takedown]:
    """All takedowns of the run, in order."""
    bounds = pairwise(accumulate((entry["tombstones"] for entry in run.takedowns), initial=0))
    return [
        Takedown(number, entry["when"], run.tombstones[start:end])
        for number, (entry, (start, end)) in enumerate(zip(run.takedowns, bounds, strict=True))
    ]


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
    counts = {"documents": erased.documents, "rows": erased.rows}
    entry = {"takedown": takedown.number, "when": takedown.when, **counts, "files": erased.files}
    replacement.put_manifest(folder, replace(erased.manifest, audit=(*manifest.audit, entry)))
    replacement.finish()
    return entry


def _write(folder: str, run: RunRecord) -> None:
    replace_json(storage.join(folder, RUN), run)
