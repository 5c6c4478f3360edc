"""The mixture that training sees: what each phase was to take of each source, and what it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curation.account.run.stage import Stage


@dataclass(frozen=True)
class MixLine:
    """What one phase takes of one source; `epochs` is the share of the source's rows that it takes, or a multiple.
    `capped`: the source has no more, others give the rest."""

    phase: str
    source: str
    weight: float
    target_tokens: float
    tokens: int
    rows: int
    available_rows: int
    epochs: float
    capped: bool


@dataclass(frozen=True)
class MixPhase:
    """One phase. `short`: its sources have run out before it had its tokens."""

    name: str
    rows: int
    tokens: int
    target_tokens: float
    short: bool


@dataclass(frozen=True)
class Mixture:
    """The run's last mix; `other_runs` are packs of other runs that it draws on."""

    stage: str
    folder: str
    seed: int
    row_tokens: int
    lines: tuple[MixLine, ...]
    other_runs: tuple[str, ...]
    phases: tuple[MixPhase, ...]


def mixture(stages: Sequence[Stage]) -> Mixture | None:
    """The last mix of the run, None where it has none."""
    mixes = [(stage, stage.manifest.mix) for stage in stages if stage.manifest.mix is not None]
    return _mixture(*mixes[-1]) if mixes else None


def _mixture(stage: Stage, mix: dict[str, Any]) -> Mixture:
    known = ("name", "rows", "tokens", "target_tokens", "short")
    return Mixture(
        stage=stage.name,
        folder=stage.entry.folder,
        seed=mix["seed"],
        row_tokens=mix["row_tokens"],
        lines=tuple(_line(line) for line in mix["report"]),
        other_runs=tuple(pack for pack in mix["packs"] if "/" in pack),
        phases=tuple(MixPhase(**{name: phase[name] for name in known}) for phase in mix["phases"]),
    )


def _line(line: dict[str, Any]) -> MixLine:
    names = ("phase", "source", "weight", "target_tokens", "tokens", "rows", "available_rows", "capped")
    return MixLine(**{name: line[name] for name in names}, epochs=line["rows"] / max(line["available_rows"], 1))


def sum_of_lines(name: str, lines: Sequence[MixLine]) -> MixLine:
    """Lines of one phase as one, capped where all of them are."""
    added = ("weight", "target_tokens", "tokens", "rows", "available_rows")
    sums = {field: sum(getattr(line, field) for line in lines) for field in added}
    epochs, capped = sums["rows"] / max(sums["available_rows"], 1), all(line.capped for line in lines)
    return MixLine(phase=lines[0].phase, source=name, **sums, epochs=epochs, capped=capped)
