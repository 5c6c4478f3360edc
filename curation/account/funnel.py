"""The funnel: what each stage read, kept and dropped, and what is odd about it."""

from dataclasses import dataclass, field
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import Manifest, Run, StageEntry, read_manifest, read_run


@dataclass(frozen=True)
class StageLine:
    """One stage; documents, bytes of text, tokens; `dropped` by reason, largest first."""

    name: str
    verb: str
    folder: str
    rows: int
    kept: int
    text_bytes: int
    kept_text_bytes: int
    tokens: int
    seconds: float
    dropped: dict[str, int]
    counts: dict[str, int]
    warnings: tuple[str, ...]
    faults: tuple[dict[str, Any], ...] = field(repr=False, default=())


@dataclass(frozen=True)
class Funnel:
    """The run as a table. `tokens` are those of the packed shards, by split."""

    run: str
    complete: bool
    stages: tuple[StageLine, ...]
    tokens: dict[str, int]


def open_stages(folder: str) -> tuple[Run, list[tuple[StageEntry, str, Manifest]]]:
    """The run and its sealed stages in order: (entry, folder, manifest). Raises InputError for what is no run."""
    run = read_run(folder)
    stages = []
    for entry in run.stages:
        path = storage.join(folder, entry.folder)
        manifest = read_manifest(path)
        if manifest is None:
            raise InputError(f"{path} is not sealed any more; run the recipe again")
        stages.append((entry, path, manifest))
    return run, stages


def funnel(folder: str) -> Funnel:
    """Raises InputError where `folder` is not a run."""
    run, stages = open_stages(folder)
    lines = tuple(_line(path, manifest) for _, path, manifest in stages)
    tokens: dict[str, int] = {}
    for _, _, manifest in stages:
        for part in (manifest.tokens or {}).get("parts", ()):
            tokens[part["split"]] = tokens.get(part["split"], 0) + part["tokens"]
    return Funnel(run.name, run.complete, lines, tokens)


def _line(path: str, manifest: Manifest) -> StageLine:
    faults = tuple(fault for commit in manifest.commits for fault in commit.faults)
    return StageLine(
        name=manifest.name,
        verb=manifest.verb,
        folder=path.rpartition("/")[2],
        rows=manifest.total("rows"),
        kept=manifest.total("kept"),
        text_bytes=manifest.total("text_bytes"),
        kept_text_bytes=manifest.total("kept_text_bytes"),
        tokens=manifest.total("tokens"),
        seconds=manifest.wall_seconds,
        dropped=manifest.merged("dropped"),
        counts=manifest.merged("counts"),
        warnings=_warnings(manifest, len(faults)),
        faults=faults,
    )


def _warnings(manifest: Manifest, faults: int) -> tuple[str, ...]:
    """Rules that no document broke, and input files with faults."""
    found = [f"{faults} faults in the input, see --json or _manifest.json"] if faults else []
    fired = manifest.merged("fired")
    if manifest.total("rows"):
        for rule in dict.fromkeys(limit["rule"] for limit in manifest.limits):
            if not any(count for limit, count in fired.items() if limit.rpartition(":")[0] == rule):
                found.append(f"{rule} never fired: no document was beyond its limit")
    return tuple(found)
