"""What `winnow tune` shows: sums, a line per limit, and histograms with the limits drawn in. Draws only.

A histogram's outer bins hold the tails as well. Heights are square roots of the counts, so that a spike leaves the rest
to be seen; any bin with a document has a bar.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import yaml
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from curation.account.spreads import Histogram
from curation.account.tuning import LimitLine, Lost, Tuning, Won

BARS = " ▁▂▃▄▅▆▇█"
HEIGHT = 4  # lines of a histogram
LANGUAGES = 8  # shown; --json has all
VALUES = 8  # of a text signal
BAR_WIDTH = 40


def tunings(console: Console, found: Sequence[Tuning]) -> None:
    """Each stage's sums, limits, languages, histograms, the options as a recipe has them, and notes."""
    for one in found:
        _sums(console, one)
        console.print(_limits(one))
        if one.languages:
            console.print(_languages(one))
        changed = {line.limit.rpartition(":")[0] for line in one.limits if line.before != line.after}
        drawn = [figure for figure in one.histograms if not changed or figure.signal in changed]
        shown = [None, *(line.language for line in one.languages[:LANGUAGES])]
        for figure in drawn:
            if figure.language in shown:
                _histogram(console, figure)
        if one.options:
            _line(console, "as a recipe:")
            recipe = yaml.safe_dump(
                {"filter": _plain(one.options)}, sort_keys=False, default_flow_style=None, width=100
            )
            console.print(Text("  - " + recipe.strip().replace("\n", "\n    ")), soft_wrap=True)
        for note in one.notes:
            _line(console, f"[yellow]note:[/] {escape(note)}")


def _sums(console: Console, one: Tuning) -> None:
    gone = f" ({one.gone:,} of them lost before)" if one.gone else ""
    kept = [f"{kept:,} kept ({100 * kept / max(one.rows, 1):.1f} %)" for kept in (one.kept_before, one.kept_after)]
    _line(
        console, f"[bold]{one.stage}[/]: {one.rows:,} documents{gone}, {' → '.join(kept if one.options else kept[1:])}"
    )
    if one.options:
        _line(console, f"  won   {_won(one.won)}")
        _line(console, f"  lost  {_lost(one.lost)}")


def _line(console: Console, text: str) -> None:
    console.print(text, highlight=False, soft_wrap=True)


def _won(won: Won) -> str:
    tokens = f", about {won.tokens:,} tokens" if won.tokens is not None else ""
    return f"{won.documents:,} documents, about {won.text_bytes / 1e6:,.1f} MB of text{tokens}"


def _lost(lost: Lost) -> str:
    tokens = f" with {lost.tokens:,} tokens" if lost.tokens is not None else ""
    later = "".join(f", {count:,} dropped by {name} anyway" for name, count in lost.dropped_later.items())
    return f"{lost.documents:,} documents: {lost.kept_to_end:,} kept to the end{tokens}{later}"


def _limits(one: Tuning) -> Table:
    """A row per limit; where limits were changed, only those and the ones at which documents change sides."""
    table = Table()
    table.add_column("limit", overflow="fold")
    table.add_column("value", overflow="fold")
    for name in ("beyond", "alone", "won", "~ tokens", "lost", "tokens")[: 6 if one.options else 2]:
        table.add_column(name, justify="right", no_wrap=True)
    key = ""
    for line in one.limits:
        moved = line.won.documents or line.lost.documents or line.before != line.after
        if moved or not one.options:
            beyond = [f"{count:,}" for count in (line.beyond_before, line.beyond_after)]
            cells = [" → ".join(dict.fromkeys(beyond)), f"{line.alone:,}"]
            if one.options:
                cells += [
                    _count(line.won.documents),
                    _count(line.won.tokens),
                    _count(line.lost.documents),
                    _count(line.lost.tokens),
                ]
            owner, _, rest = line.limit.partition(".")
            if owner != key:
                table.add_row(f"[bold]{owner}[/]")
                key = owner
            table.add_row(f"  {rest.replace(':', ' ')}", _change(line), *cells)
    return table


def _change(line: LimitLine) -> str:
    """The general bound, and for how many languages there is another."""
    sides = [_value(bounds.get("*")) if bounds else "none" for bounds in (line.before, line.after)]
    others = len(line.after) - ("*" in line.after)
    return " → ".join(dict.fromkeys(sides)) + (f" (+ {others} languages)" if others > 0 else "")


def _languages(one: Tuning) -> Table:
    table = Table("language")
    for name in ("documents", "kept", "after", "won", "lost", "of them to the end"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in one.languages[:LANGUAGES]:
        counts = (
            line.rows,
            line.kept_before,
            line.kept_after,
            line.won.documents,
            line.lost.documents,
            line.lost.kept_to_end,
        )
        table.add_row(line.language or "(none)", *(f"{count:,}" for count in counts))
    return table


def _histogram(console: Console, figure: Histogram) -> None:
    """A signal over all languages at full height; in one language as a single line."""
    unmeasured = f", {figure.unmeasured:,} unmeasured" if figure.unmeasured else ""
    about = ""
    if figure.mean is not None and figure.deviation is not None:
        q = {share: _value(value) for share, value in figure.quantiles.items()}
        about = (
            f": 1 % {q['0.01']}, median {q['0.5']}, 99 % {q['0.99']}, mean {figure.mean:.4g} ± {figure.deviation:.4g}"
        )
    name = f"  in {figure.language}" if figure.language else f"[bold]{figure.signal}[/]"
    _line(console, f"{name} ({figure.documents:,} documents{unmeasured}){about}")
    if figure.values:
        _values(console, figure)
    elif figure.bins:
        _bars(console, figure, 1 if figure.language else HEIGHT)


def _values(console: Console, figure: Histogram) -> None:
    wanted, most = figure.after.get("not_in"), max(figure.values.values())
    width = max(len(value) for value in list(figure.values)[:VALUES])
    for value, count in list(figure.values.items())[:VALUES]:
        kept = wanted is None or value in wanted
        bar = "█" * max(1, round(BAR_WIDTH * sqrt(count / most)))
        line = (
            Text(f"  {'┃' if kept else ' '} {value:{width}} ")
            .append(bar, "green" if kept else "red")
            .append(f" {count:,}")
        )
        console.print(line, soft_wrap=True)
    if len(figure.values) > VALUES:
        _line(console, f"    {len(figure.values) - VALUES:,} others")


def _bars(console: Console, figure: Histogram, height: int) -> None:
    """`height` lines of bars, a mark between two bins for each limit, and the axis with their values."""
    low, high = figure.after.get("low"), figure.after.get("high")
    bins = figure.bins
    most = max(one.documents for one in bins)
    levels = [max(round(8 * height * sqrt(one.documents / most)), int(one.documents > 0)) for one in bins]
    inside = [(low is None or one.low >= low) and (high is None or one.low <= high) for one in bins]
    marks = {number for number in range(1, len(bins)) if inside[number] != inside[number - 1]}
    axis, column = {0: f"≤{_value(bins[0].high)}"}, 0
    lines = [Text("  ") for _ in range(height)]
    for number, level in enumerate(levels):
        if number in marks:
            axis[column] = _value(low if inside[number] else high)
            column += 1
        for row, line in enumerate(lines):
            if number in marks:
                line.append("┃", "bold yellow")
            line.append(BARS[min(max(level - 8 * (height - 1 - row), 0), 8)], "green" if inside[number] else "red")
        column += 1
    for line in lines:
        console.print(line, soft_wrap=True)
    _line(console, f"  {_axis(axis, column, f'≥{_value(bins[-1].low)}')}")
    for side, bound in (("at least", low), ("at most", high)):
        if bound is not None and _value(bound) not in axis.values():
            _line(console, f"  limit off the chart: {side} {_value(bound)}")


def _axis(labels: dict[int, str], width: int, last: str) -> str:
    """Labels where they begin, without one that the next would touch; the last one at the right end."""
    text, start = "", 0
    for column, label in sorted(labels.items()):
        text = (text if len(text) < column else text[:start]).ljust(column) + label
        start = column
    return text.ljust(max(width - len(last), len(text) + 1)) + last


def _count(number: int | None) -> str:
    return f"{number:,}" if number else ""


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        shown = ", ".join(str(one) for one in value[:4])
        return shown + (f", … ({len(value)})" if len(value) > 4 else "")
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    return "none" if value is None else f"{value:,.0f}"


def _plain(value: Any) -> Any:
    """Tuples as lists, mappings as dicts."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
