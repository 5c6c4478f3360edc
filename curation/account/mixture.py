"""The mixture that training sees: each phase's target for each source, and what it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curation.account.sealed.sealed_stage import SealedStage
from curation.tokens.mixing.shortfalls import shortfalls

ADDED = ("weight", "target_tokens", "tokens", "rows", "available_rows")  # summed when lines are shown as one
PHASE = ("name", "rows", "tokens", "target_tokens", "short")


@dataclass(frozen=True)
class MixLine:
    """What one phase takes from one source. `epochs` is the taken share of the source's rows, above 1 for repeated
    ones. `capped`: the source has no more, so others supply the rest."""

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
class Mixture:
    """The run's last mix. `other_runs` are the packs of other runs in it. A phase has the keys PHASE; it is `short` if
    its sources ran out before its target. `shortfalls` are sentences."""

    stage: str
    folder: str
    seed: int
    row_tokens: int
    lines: tuple[MixLine, ...]
    other_runs: tuple[str, ...]
    phases: tuple[dict[str, Any], ...]
    shortfalls: tuple[str, ...] = ()


def mixture(stages: Sequence[SealedStage]) -> Mixture | None:
    for stage in reversed(stages):
        mix = stage.manifest.mix
        if mix is not None:
            return Mixture(
                stage=stage.name,
                folder=stage.entry.folder,
                seed=mix["seed"],
                row_tokens=mix["row_tokens"],
                lines=tuple(
                    _line(**{name: line[name] for name in ("phase", "source", "capped", *ADDED)})
                    for line in mix["report"]
                ),
                other_runs=tuple(pack for pack in mix["packs"] if "/" in pack),
                phases=tuple({name: phase[name] for name in PHASE} for phase in mix["phases"]),
                shortfalls=tuple(shortfalls(mix)),
            )
    return None


def _line(**values: Any) -> MixLine:
    return MixLine(**values, epochs=values["rows"] / max(values["available_rows"], 1))


def sum_of_lines(name: str, lines: Sequence[MixLine]) -> MixLine:
    """Lines of one phase as one, capped if all of them are."""
    sums = {field: sum(getattr(line, field) for line in lines) for field in ADDED}
    return _line(phase=lines[0].phase, source=name, capped=all(line.capped for line in lines), **sums)
