"""The end of the funnel: what each phase of the mix takes of each source, against what it was to take."""

from rich.console import Console
from rich.table import Table

from curation.account.funnel import Funnel
from curation.account.mixture import MixLine, Mixture
from pipelines import render
from pipelines.render import plain

TOP_LINES = 30  # of a phase, the largest


def funnel(console: Console, found: Funnel) -> None:
    """The funnel of documents, then the mix where there is one."""
    render.funnel(console, found)
    if found.mixture is not None:
        mixture(console, found.mixture)


def mixture(console: Console, found: Mixture) -> None:
    """A row per phase and source with tokens, those of several phases in order, and what has run out."""
    phases = list(dict.fromkeys(line.phase for line in found.lines))
    table = Table(title=f"{found.stage}: what training sees", title_justify="left")
    if len(phases) > 1:
        table.add_column("phase", overflow="fold")
    table.add_column("source", overflow="fold")
    for name in ("weight %", "target tokens", "tokens", "share %", "rows", "epochs"):
        table.add_column(name, justify="right", no_wrap=True)
    hidden = 0
    for phase in phases:
        lines = sorted((line for line in found.lines if line.phase == phase), key=lambda line: -line.tokens)
        used = [line for line in lines if line.weight]
        total = max(sum(line.tokens for line in used), 1)
        for number, line in enumerate(used[:TOP_LINES]):
            first = [plain(phase) if number == 0 else ""] if len(phases) > 1 else []
            table.add_row(*first, plain(line.source), *_figures(line, total))
        table.add_section()
        hidden += len(used) - len(used[:TOP_LINES])
    console.print(table)
    if hidden:
        console.print(f"… and {hidden:,} smaller lines (--json has them)", highlight=False)
    _notes(console, found)


def _figures(line: MixLine, total: int) -> list[str]:
    capped = " (all it may give)" if line.capped else ""
    return [
        f"{100 * line.weight:.2f}",
        f"{line.target_tokens:,.0f}{capped}",
        f"{line.tokens:,}",
        f"{100 * line.tokens / total:.2f}",
        f"{line.rows:,}",
        f"{line.epochs:.3g}",
    ]


def _notes(console: Console, found: Mixture) -> None:
    tokens, rows = sum(line.tokens for line in found.lines), sum(line.rows for line in found.lines)
    console.print(f"mixed tokens: {tokens:,} in {rows:,} rows of {found.row_tokens - 1:,}", highlight=False)
    for pack in found.other_runs:
        console.print(f"with rows of {plain(pack)}", highlight=False, soft_wrap=True)
    for phase in found.phases:
        if phase.short:
            had = f"{plain(phase.name)} has {phase.tokens:,} of its {phase.target_tokens:,.0f} tokens"
            cause = "its sources have no more: raise max_epochs, or give it others"
            console.print(f"[yellow]warning:[/] {had}, {cause}", highlight=False, soft_wrap=True)
