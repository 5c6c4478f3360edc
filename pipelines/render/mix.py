"""The end of the funnel: what each phase of the mix takes of each source, against what it was to take."""

import dataclasses

from rich.console import Console

from curation.account.funnel import Funnel
from curation.account.mixture import MixLine, Mixture, sum_of_lines
from pipelines.render import tables
from pipelines.render.console import plain, say, table

TOP_LINES = 30  # of a phase, the largest
MILLION = 1_000_000
IN_MILLIONS = 10_000 * MILLION  # tokens of a phase from which on they are shown in millions


def funnel(console: Console, found: Funnel) -> None:
    """The funnel of documents, then the mix where there is one."""
    tables.funnel(console, found)
    if found.mixture is not None:
        mixture(console, found.mixture)


def mixture(console: Console, found: Mixture) -> None:
    """A table per phase, in order, of the sources that it takes; then the totals, and what has run out."""
    phases = list(dict.fromkeys(line.phase for line in found.lines))
    for phase in phases:
        lines = [line for line in found.lines if line.phase == phase and line.weight]
        of = f", phase {plain(phase)}" if len(phases) > 1 else ""
        _phase(console, f"{found.stage}{of}: what training sees", lines)
    if any(line.capped for line in found.lines):
        say(console, "* all that it or a sub-source of it may give: others give the rest")
    _notes(console, found)


def _phase(console: Console, title: str, lines: list[MixLine]) -> None:
    """Narrow enough for names beside any numbers in a terminal of 80 columns."""
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
    """The sub-sources of each source in one line, which is capped where one of them is."""
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


def _notes(console: Console, found: Mixture) -> None:
    tokens, rows = sum(line.tokens for line in found.lines), sum(line.rows for line in found.lines)
    say(console, f"mixed tokens: {tokens:,} in {rows:,} rows of {found.row_tokens - 1:,}")
    for pack in found.other_runs:
        say(console, f"with rows of {plain(pack)}")
    for phase in found.phases:
        if phase["short"]:
            had = f"{plain(phase['name'])} has {phase['tokens']:,} of its {phase['target_tokens']:,.0f} tokens"
            cause = "its sources have no more: raise max_epochs, or give it others"
            say(console, f"[yellow]warning:[/] {had}, {cause}")
