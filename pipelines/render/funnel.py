"""What `winnow funnel` shows: what each stage read, kept and dropped, then the packs and each phase of the mix."""

import dataclasses
from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from curation.account.funnel import Funnel, PackedSource
from curation.account.mixture import MixLine, Mixture, sum_of_lines
from curation.account.report.reasons import brief
from curation.core.verbs import READ, REWRITE
from curation.core.wording import counted, listed
from pipelines.render.console import plain, say
from pipelines.render.tables import Column, megabytes, percents, view

TOP_REASONS = 5
TOP_PACKS = 12
TOP_LIMITS = 3  # shown of the limits that dropped nothing
TOP_LINES = 30  # shown for a phase
MILLION = 1_000_000
IN_MILLIONS = 10_000 * MILLION  # a phase with this many tokens shows them in millions
# Meaning of a verb's counts, by the beginning of their names.
COUNTED = {
    READ: {"skipped.": "made no rows of", "lenient.": "read leniently", "truncated.": "found without their end"},
    REWRITE: {"": "edited"},
}
STAGES = (
    Column("stage", "name"),
    Column("in", "rows", ","),
    Column("dropped", lambda line: None if line.kept is None else line.rows - line.kept, ","),
    Column("kept", form=","),
    Column("kept %", lambda line: None if line.kept is None else line.kept / max(line.rows, 1), percents),
    Column("kept MB", "kept_text_bytes", megabytes),
    Column("tokens", form=","),
    Column("seconds", form=".1f"),
)


def funnel(console: Console, result: Funnel) -> None:
    title = f"{plain(result.run)}{'' if result.complete else ' (not finished)'}"
    console.print(view(STAGES, result.stages, whole_numbers=True, title=title, title_justify="left"))
    for line in result.stages:
        for reason, count in _top(line.dropped):
            means = f"  [dim]({brief(reason)})[/]" if brief(reason) else ""
            say(console, f"{count:>10,}  {line.name}: {plain(reason)}{means}")
    for line in result.stages:
        for prefix, what in COUNTED.get(line.verb, {}).items():
            counts = {name: count for name, count in line.counts.items() if count and name.startswith(prefix)}
            if counts:
                shown = ", ".join(f"{plain(name)} {count:,}" for name, count in _top(counts, 8))
                say(console, f"{line.name} {what}: {shown}")
        if line.parsers:
            shown = ", ".join(f"{plain(name)} {count:,}" for name, count in line.parsers.items())
            say(console, f"{line.name} pages by their last parser: {shown}")
    for line in result.stages:
        for warning in line.warnings:
            say(console, f"[yellow]warning:[/] {line.name}: {plain(warning)}")
        if line.never_fired:
            say(console, f"{line.name}: {plain(_never_fired(line.never_fired))}")
    if result.tokens:
        total = sum(result.tokens.values())
        splits = ", ".join(f"{count:,} {split}" for split, count in result.tokens.items())
        say(console, f"packed tokens: {total:,} ({splits})")
    for pack in result.packs[:TOP_PACKS]:
        say(console, _packed(pack))
    if len(result.packs) > TOP_PACKS:
        console.print(f"… and {counted(len(result.packs) - TOP_PACKS, 'more source')} (--json names them)")
    if result.taken_down:
        documents = counted(result.taken_down, "document")
        say(console, f"taken down: {documents}, still counted by stages and mixes sealed before")
    if not result.takedowns_finished:
        say(console, "[yellow]warning:[/] a takedown was cut off; run the same `winnow takedown` again")
    if result.mixture is not None:
        _mixture(console, result.mixture)


def _packed(pack: PackedSource) -> str:
    share = 100 * pack.padding / max(pack.slots, 1)
    return (
        f"{pack.stage} ({pack.method}) {plain(pack.source)}: {counted(pack.rows, 'row')}, {share:.2f} % padding; "
        f"{pack.cut:,} of {counted(pack.documents, 'document')} cut"
    )


def _never_fired(limits: Sequence[str]) -> str:
    more = f", … and {len(limits) - TOP_LIMITS} more (--json names them)" if len(limits) > TOP_LIMITS else ""
    return f"{counted(len(limits), 'limit')} dropped nothing: {', '.join(limits[:TOP_LIMITS])}{more}"


def _top(counts: dict[str, int], top: int = TOP_REASONS) -> list[tuple[str, int]]:
    """The largest counts, then the sum of the others if there is more than one."""
    every = list(counts.items())
    top += len(every) == top + 1
    shown = every[:top]
    others = every[top:]
    return [*shown, *([(f"{len(others)} others", sum(count for _, count in others))] if others else [])]


def _mixture(console: Console, mix: Mixture) -> None:
    phases = list(dict.fromkeys(line.phase for line in mix.lines))
    for phase in phases:
        lines = [line for line in mix.lines if line.phase == phase and line.weight]
        of = f", phase {plain(phase)}" if len(phases) > 1 else ""
        _phase(console, f"{mix.stage}{of}: what training sees", lines)
    if any(line.capped for line in mix.lines):
        say(console, "* the source or a sub-source has no more for this phase: others supply the rest")
    _left_out(console, mix)
    _notes(console, mix)


def _phase(console: Console, title: str, lines: list[MixLine]) -> None:
    """Draws one phase. Numbers stay narrow enough for names to fit beside them in 80 columns."""
    total = sum(line.tokens for line in lines)
    unit, of = (MILLION, " M") if total >= IN_MILLIONS else (1, "")
    columns = (
        Column("source"),
        Column("weight %", lambda line: 100 * line.weight, ".2f"),
        Column(f"target{of}", lambda line: f"{'* ' if line.capped else ''}{line.target_tokens / unit:,.0f}", str),
        Column(f"tokens{of}", lambda line: line.tokens / unit, ",.0f"),
        Column("share %", lambda line: 100 * line.tokens / max(total, 1), ".2f"),
        Column("epochs", form=".3g"),
    )
    shown = sorted(_together(lines) if len(lines) > TOP_LINES else lines, key=lambda line: -line.tokens)
    console.print(view(columns, shown[:TOP_LINES], whole_numbers=True, title=title, title_justify="left"))
    if len(shown) < len(lines):
        say(console, "sub-sources are added up (--json has each)")
    if len(shown) > TOP_LINES:
        say(console, f"… and {len(shown) - TOP_LINES:,} smaller lines (--json has them)")
    _labels(console, lines)


def _labels(console: Console, lines: list[MixLine]) -> None:
    """Shares of the labels of `split_by`, such as languages, where several sources have them."""
    labelled = [line for line in lines if "/" in line.source]
    tokens = Counter[str]()
    for line in labelled:
        tokens[line.source.rpartition("/")[2]] += line.tokens
    if 1 < len(tokens) < len(labelled):
        total = max(sum(line.tokens for line in lines), 1)
        shares = [f"{plain(label)} {100 * count / total:.2f} %" for label, count in tokens.most_common()]
        say(console, f"over all sources: {listed(shares, TOP_PACKS)}")


def _left_out(console: Console, mix: Mixture) -> None:
    """Names what no phase gives a weight."""
    weighted = {line.source for line in mix.lines if line.weight}
    rows = {line.source: line.available_rows for line in mix.lines if line.source not in weighted}
    shown = [f"{plain(source)} ({counted(count, 'row')})" for source, count in Counter(rows).most_common() if count]
    if shown:
        say(console, f"left out, because their weight is 0: {listed(shown, TOP_PACKS)}")


def _together(lines: list[MixLine]) -> list[MixLine]:
    """The sub-sources of each source as one line, capped if one of them is."""
    grouped: dict[str, list[MixLine]] = {}
    for line in lines:
        grouped.setdefault(line.source.rpartition("/")[0] or line.source, []).append(line)
    return [_sum(source, own) if len(own) > 1 else own[0] for source, own in grouped.items()]


def _sum(source: str, lines: list[MixLine]) -> MixLine:
    total = sum_of_lines(f"{source} ({len(lines)})", lines)
    return dataclasses.replace(total, capped=any(line.capped for line in lines))


def _notes(console: Console, mix: Mixture) -> None:
    tokens = sum(line.tokens for line in mix.lines)
    rows = sum(line.rows for line in mix.lines)
    say(console, f"mixed tokens: {tokens:,} in {rows:,} rows of {mix.row_tokens - 1:,}")
    for pack in mix.other_runs:
        say(console, f"with rows of {plain(pack)}")
    for shortfall in mix.shortfalls:
        say(console, f"[yellow]warning:[/] {plain(shortfall)}")
