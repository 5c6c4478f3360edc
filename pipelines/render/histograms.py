"""Draws a signal's histogram in text, with the limits drawn in as lines between two bins.

The outer bins include the tails. Heights are square roots of the counts, so that the rest stays visible beside a spike;
every bin with a document has a bar. Green is kept, red is dropped.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from curation.account.tune.spreads import Histogram
from curation.core.rules import among
from curation.core.wording import counted
from pipelines.render.console import plain, say

BARS = " ▁▂▃▄▅▆▇█"
HEIGHT = 4  # lines of a histogram over all languages
VALUES = 8  # of a text signal
BAR_WIDTH = 40


def histogram(console: Console, figure: Histogram) -> None:
    """Draws a signal over all languages at full height, or in one language as a single line."""
    documents = counted(figure.documents, "document")
    documents += f", {figure.unmeasured:,} unmeasured" if figure.unmeasured else ""
    if figure.language:
        _indented(console, f"in {plain(figure.language)}, {documents}{_about(figure)}")
    else:
        say(console, f"[bold]{figure.signal}[/]")
        _indented(console, f"{documents}{_about(figure)}")
    if figure.values:
        _values(console, figure)
    elif figure.bins:
        _bars(console, figure, 1 if figure.language else HEIGHT)


def value(bound: Any) -> str:
    if isinstance(bound, list | tuple):
        shown = ", ".join(str(item) for item in bound[:4])
        return plain(shown) + (f", … ({len(bound)})" if len(bound) > 4 else "")
    if isinstance(bound, float) and not bound.is_integer():
        return f"{bound:.4g}"
    return "none" if bound is None else f"{bound:,.0f}"


def _indented(console: Console, text: str) -> None:
    console.print(Padding(text, (0, 0, 0, 2), expand=False), highlight=False)


def _about(figure: Histogram) -> str:
    if figure.mean is None or figure.deviation is None:
        return ""
    low, middle, high = (value(figure.quantiles[share]) for share in ("0.01", "0.5", "0.99"))
    return f": 1 % {low}, median {middle}, 99 % {high}, mean {figure.mean:.4g} ± {figure.deviation:.4g}"


def _values(console: Console, figure: Histogram) -> None:
    """Draws a bar per value, with a mark on the wanted ones."""
    wanted = figure.after.get("not_in")
    most = max(figure.values.values())
    first = list(figure.values.items())[:VALUES]
    width = max(len(name) for name, _ in first)
    for name, count in first:
        kept = wanted is None or among(name, wanted)
        bar = "█" * max(1, round(BAR_WIDTH * sqrt(count / most)))
        line = Text(f"  {'┃' if kept else ' '} {name:{width}} ")
        console.print(line.append(bar, "green" if kept else "red").append(f" {count:,}"), soft_wrap=True)
    if len(figure.values) > VALUES:
        say(console, f"    {len(figure.values) - VALUES:,} others")


def _bars(console: Console, figure: Histogram, height: int) -> None:
    """Draws `height` lines of bars with a mark between two bins for each limit, and an axis with the limits."""
    low = figure.after.get("low")
    high = figure.after.get("high")
    bins = figure.bins
    shown = ""
    if figure.deviation:
        most = max(bar.documents for bar in bins)
        levels = [max(round(8 * height * sqrt(bar.documents / most)), int(bar.documents > 0)) for bar in bins]
        inside = [(low is None or bar.low >= low) and (high is None or bar.low <= high) for bar in bins]
        marks = {
            number: low if inside[number] else high
            for number in range(1, len(bins))
            if inside[number] != inside[number - 1]
        }
        for row in reversed(range(height)):
            console.print(_row([level - 8 * row for level in levels], inside, marks), soft_wrap=True)
        labels = {number + place: value(bound) for place, (number, bound) in enumerate(marks.items())}
        ends = f"<{value(bins[0].high)}", f"≥{value(bins[-1].low)}"
        shown = _axis({0: ends[0], **labels}, len(bins) + len(marks), ends[1])
        say(console, f"  {shown}{' (log)' if figure.wide else ''}")
    else:
        say(console, f"  each has {value(figure.mean)}")
    for side, bound in (("at least", low), ("at most", high)):
        if not figure.language and bound is not None and value(bound) not in shown.split():
            say(console, f"  limit not on the axis: {side} {value(bound)}")


def _row(levels: list[int], inside: list[bool], marks: Mapping[int, Any]) -> Text:
    """One line of bars; `levels` are eighths of its height."""
    line = Text("  ")
    for number, level in enumerate(levels):
        if number in marks:
            line.append("┃", "bold yellow")
        line.append(BARS[min(max(level, 0), 8)], "green" if inside[number] else "red")
    return line


def _axis(labels: Mapping[int, str], width: int, last: str) -> str:
    """Labels at their columns, without those that the next would touch, and `last` at the right end."""
    text = ""
    start = 0
    for column, label in sorted(labels.items()):
        text = (text if len(text) < column else text[:start]).ljust(column) + label
        start = column
    return text.ljust(max(width - len(last), len(text) + 1)) + last
