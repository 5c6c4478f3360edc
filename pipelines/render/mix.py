"""The end of the funnel: what each phase of the mix takes from each source, and its target."""

import dataclasses

from rich.console import Console

from curation.account.funnel import Funnel
from curation.account.mixture import MixLine, Mixture, sum_of_lines
from pipelines.render import tables
from pipelines.render.console import plain, say, table

TOP_LINES = 30  # shown for a phase
MILLION = 1_000_000
IN_MILLIONS = 10_000 * MILLION  # a phase with this many tokens shows them in millions


def funnel(console: Console, result: Funnel) -> None:
    tables.funnel(console, result)
    if result.mixture is not None:
        mixture(console, result.mixture)


def mixture(console: Console, mix: Mixture) -> None:
    phases = list(dict.fromkeys(line.phase for line in mix.lines))
    for phase in phases:
        lines = [line for line in mix.lines if line.phase == phase and line.weight]
        of = f", phase {plain(phase)}" if len(phases) > 1 else ""
        _phase(console, f"{mix.stage}{of}: what training sees", lines)
    if any(line.capped for line in mix.lines):
        say(console, "* the source or a sub-source has no more: others supply the rest")
    _notes(console, mix)


def _phase(console: Console, title: str, lines: list[MixLine]) -> None:
    """Draws one phase. Numbers stay narrow enough for names to fit beside them in 80 columns."""
    total = sum(line.tokens for line in lines)
    unit, of = (MILLION, " M") if total >= IN_MILLIONS else (1, "")
    columns = ("source", " weight %", f" target{of}", f" tokens{of}", " share %", " epochs")
    shown = sorted(_together(lines) if len(lines) > TOP_LINES else lines, key=lambda line: -line.tokens)
    rows = (_cells(line, max(total, 1), unit) for line in shown[:TOP_LINES])
    console.print(table(columns, rows, whole_numbers=True, title=title, title_justify="left"))
    if len(shown) < len(lines):
        say(console, "sub-sources are added up (--json has each)")
    if len(shown) > TOP_LINES:
        say(console, f"… and {len(shown) - TOP_LINES:,} smaller lines (--json has them)")


def _together(lines: list[MixLine]) -> list[MixLine]:
    """The sub-sources of each source as one line, capped if one of them is."""
    grouped: dict[str, list[MixLine]] = {}
    for line in lines:
        grouped.setdefault(line.source.rpartition("/")[0] or line.source, []).append(line)
    return [_sum(source, own) if len(own) > 1 else own[0] for source, own in grouped.items()]


def _sum(source: str, lines: list[MixLine]) -> MixLine:
    total = sum_of_lines(f"{source} ({len(lines)})", lines)
    return dataclasses.replace(total, capped=any(line.capped for line in lines))


def _cells(line: MixLine, total: int, unit: int) -> list[str]:
    return [
        plain(line.source),
        f"{100 * line.weight:.2f}",
        f"{'* ' if line.capped else ''}{line.target_tokens / unit:,.0f}",
        f"{line.tokens / unit:,.0f}",
        f"{100 * line.tokens / total:.2f}",
        f"{line.epochs:.3g}",
    ]


def _notes(console: Console, mix: Mixture) -> None:
    tokens, rows = sum(line.tokens for line in mix.lines), sum(line.rows for line in mix.lines)
    say(console, f"mixed tokens: {tokens:,} in {rows:,} rows of {mix.row_tokens - 1:,}")
    for pack in mix.other_runs:
        say(console, f"with rows of {plain(pack)}")
    for phase in mix.phases:
        if phase["short"]:
            had = f"{plain(phase['name'])} has {phase['tokens']:,} of its {phase['target_tokens']:,.0f} tokens"
            cause = "its sources have no more: raise max_epochs or add sources"
            say(console, f"[yellow]warning:[/] {had}, {cause}")
