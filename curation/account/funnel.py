"""The funnel: what each stage read, kept and dropped, and what is odd about it."""

from dataclasses import dataclass, field
from typing import Any

from curation.account.card.unknown_licences import unknown_licences, warning
from curation.account.mixture import Mixture, mixture
from curation.account.packing import Packed, packing
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import Manifest, Run, StageEntry, read_manifest, read_run
from curation.core.verbs import Verb

SIDES = {"at_least": "low", "at_most": "high", "one_of": "not_in"}  # of a limit's bounds, as reasons name them


@dataclass(frozen=True)
class StageLine:
    """One stage; documents, bytes of text, tokens; `dropped` by reason, largest first.

    `never_fired` names the limits that no document was beyond, e.g. "gopher_quality.words (low)"; `parsers` are the
    pages of an extract stage by the last parser that they reached, and what was read of them in its place.
    """

    name: str
    verb: Verb
    folder: str
    rows: int
    kept: int
    text_bytes: int
    kept_text_bytes: int
    tokens: int
    seconds: float
    dropped: dict[str, int]
    counts: dict[str, int]
    parsers: dict[str, int]
    never_fired: tuple[str, ...]
    warnings: tuple[str, ...]
    faults: tuple[dict[str, Any], ...] = field(repr=False, default=())

    @property
    def has_documents(self) -> bool:
        """False for a stage whose output is not one row per document, such as fit, pack and mix."""
        return self.verb.documents


@dataclass(frozen=True)
class Funnel:
    """The run as a table. `tokens` are those of the packed shards, by split; `taken_down` counts documents, which
    stages and mixes sealed before it still count as kept."""

    run: str
    complete: bool
    stages: tuple[StageLine, ...]
    tokens: dict[str, int]
    packs: tuple[Packed, ...] = ()
    mixture: Mixture | None = None
    taken_down: int = 0
    takedowns_finished: bool = True


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
    lines = stage_lines(folder, stages)
    tokens: dict[str, int] = {}
    for _, _, manifest in stages:
        for part in (manifest.tokens or {}).get("parts", ()):
            tokens[part["split"]] = tokens.get(part["split"], 0) + part["tokens"]
    return Funnel(
        run=run.name,
        complete=run.complete,
        stages=lines,
        tokens=tokens,
        packs=packing(manifest for _, _, manifest in stages),
        mixture=mixture(stages),
        taken_down=sum(one["tombstones"] for one in run.takedowns),
        takedowns_finished=run.takedowns_finished,
    )


def stage_lines(folder: str, stages: list[tuple[StageEntry, str, Manifest]]) -> tuple[StageLine, ...]:
    """A line per stage of the run at `folder`, as `open_stages` gives them."""
    return tuple(_line(folder, path, manifest) for _, path, manifest in stages)


def _line(run: str, path: str, manifest: Manifest) -> StageLine:
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
        parsers=_parsers(manifest),
        never_fired=_never_fired(manifest),
        warnings=(*_warnings(run, manifest), *warning(unknown_licences(path, manifest))),
        faults=tuple(fault for commit in manifest.commits for fault in commit.faults),
    )


def _parsers(manifest: Manifest) -> dict[str, int]:
    total: dict[str, int] = {}
    for commit in manifest.commits:
        for parser, count in commit.extra.get("parsers", {}).items():
            total[parser] = total.get(parser, 0) + count
    return total


def _never_fired(manifest: Manifest) -> tuple[str, ...]:
    """Of a filter stage, not of the rule sets in a cascade: those are loose by intent."""
    if not manifest.verb.judges or not manifest.total("rows"):
        return ()
    fired = manifest.merged("fired")
    sides = [(limit["rule"], side) for limit in manifest.limits for bound, side in SIDES.items() if bound in limit]
    return tuple(f"{rule} ({side})" for rule, side in dict.fromkeys(sides) if not fired.get(f"{rule}:{side}"))


def faults(manifest: Manifest) -> int:
    """How many faults the input has, listed or not."""
    return sum(len(commit.faults) + commit.counts.get("faults.unlisted", 0) for commit in manifest.commits)


def _warnings(run: str, manifest: Manifest) -> tuple[str, ...]:
    """Input files with faults, and a stage after which nothing is left."""
    count = faults(manifest)
    found = [f"{count} faults in the input, see --json or _manifest.json"] if count else []
    if manifest.total("rows") and not manifest.total("kept") and manifest.verb.documents:
        found.append(f"kept no document: see winnow show {run} {manifest.name}")
    if manifest.verb.begins and not manifest.total("rows"):
        found.append("found no document in its input")
    return tuple(found)
