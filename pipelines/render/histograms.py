"""Draws a signal's histogram in text, with the limits drawn in as lines between two bins.

The outer bins hold the tails as well. Heights are square roots of the counts, so that a spike leaves the rest to be
seen; any bin with a document has a bar. Green is kept, red is dropped.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from curation.account.card.text import counted
from curation.account.tune.spreads import Histogram
from curation.core.rules import among
from pipelines.render.console import plain, say

BARS = " ▁▂▃▄▅▆▇█"
HEIGHT = 4  # lines of a histogram over all languages
VALUES = 8  # of a text signal
BAR_WIDTH = 40


def histogram(console: Console, figure: Histogram) -> None:
    """A signal over all languages at full height; in one language as a single line."""
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


def value(given: Any) -> str:
    """A bound or quantile, in few digits."""
    if isinstance(given, list | tuple):
        shown = ", ".join(str(one) for one in given[:4])
        return plain(shown) + (f", … ({len(given)})" if len(given) > 4 else "")
    if isinstance(given, float) and not given.is_integer():
        return f"{given:.4g}"
    return "none" if given is None else f"{given:,.0f}"


def _indented(console: Console, text: str) -> None:
    console.print(Padding(text, (0, 0, 0, 2), expand=False), highlight=False)


def _about(figure: Histogram) -> str:
    if figure.mean is None or figure.deviation is None:
        return ""
    low, middle, high = (value(figure.quantiles[share]) for share in ("0.01", "0.5", "0.99"))
    return f": 1 % {low}, median {middle}, 99 % {high}, mean {figure.mean:.4g} ± {figure.deviation:.4g}"


def _values(console: Console, figure: Histogram) -> None:
    """A bar per value, marked where the list of wanted ones has it."""
    wanted, most = figure.after.get("not_in"), max(figure.values.values())
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
    """`height` lines of bars, a mark between two bins for each limit, and the axis with their values."""
    low, high = figure.after.get("low"), figure.after.get("high")
    bins, shown = figure.bins, ""
    if figure.deviation:
        most = max(one.documents for one in bins)
        levels = [max(round(8 * height * sqrt(one.documents / most)), int(one.documents > 0)) for one in bins]
        inside = [(low is None or one.low >= low) and (high is None or one.low <= high) for one in bins]
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
    """One line of the bars: `levels` in eighths of it."""
    line = Text("  ")
    for number, level in enumerate(levels):
        if number in marks:
            line.append("┃", "bold yellow")
        line.append(BARS[min(max(level, 0), 8)], "green" if inside[number] else "red")
    return line


def _axis(labels: Mapping[int, str], width: int, last: str) -> str:
    """Labels where they begin, without one that the next would touch; the last one at the right end."""
    text, start = "", 0
    for column, label in sorted(labels.items()):
        text = (text if len(text) < column else text[:start]).ljust(column) + label
        start = column
    return text.ljust(max(width - len(last), len(text) + 1)) + last
