"""A signal's histogram with its limits as lines, and the bins beyond them in another colour and hatched below."""

from collections.abc import Iterable
from math import ceil, inf, log10, nextafter

from markupsafe import Markup, escape

from curation.account.card.stage_facts import number
from curation.account.tune.distribution import HistogramBin
from curation.account.tune.spreads import Histogram

WIDTH = 300
HEIGHT = 84
BASE = 70  # of the bars


def histogram_chart(figure: Histogram) -> Markup:
    """An SVG of a histogram that has bins; they have equal widths, whatever they cover, and the square root of their
    documents as height, so that few documents beyond a limit are seen."""
    bins = figure.bins
    highest = max(one.documents for one in bins) ** 0.5
    step = WIDTH / len(bins)
    inside = [one for one in enumerate(bins) if not _beyond(figure, one[1])]
    outside = [one for one in enumerate(bins) if _beyond(figure, one[1])]
    lines = [_line(figure, side, bound) for side, bound in figure.before.items() if side != "not_in"]
    low = f'<text x="0" y="{HEIGHT - 2}">{number(_short(bins[0].low))}</text>'
    high = f'<text x="{WIDTH}" y="{HEIGHT - 2}" class="end">{number(_short(bins[-1].high))}</text>'
    return Markup(
        f'<svg class="histogram" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(figure.signal)}: documents by value">'
        f'<path class="kept" d="{_bars(inside, step, highest)}"/>'
        f'<path class="lost" d="{_bars(outside, step, highest)}"/><path class="axis" d="M0 {BASE}H{WIDTH}"/>'
        f"{''.join(lines)}{low}{high}</svg>"
    )


def _bars(numbered: Iterable[tuple[int, HistogramBin]], step: float, highest: float) -> str:
    """One path for all: bars cost a few bytes each."""
    bars = []
    for place, one in numbered:
        height = (BASE - 6) * one.documents**0.5 / highest
        if one.documents:
            bars.append(f"M{place * step:.1f} {BASE}v{-max(height, 1):.1f}h{step - 0.6:.1f}v{max(height, 1):.1f}z")
    return "".join(bars)


def _beyond(figure: Histogram, one: HistogramBin) -> bool:
    """Whether all of the bin is."""
    low = figure.before.get("low")
    high = figure.before.get("high")
    return (low is not None and one.high <= low) or (high is not None and one.low > high)


def _line(figure: Histogram, side: str, bound: float) -> str:
    """Between the bins that the bound divides, or in the middle of an outer bin, which holds all far values."""
    whole = all(one.low % 1 == 0 for one in figure.bins)
    edge = nextafter(bound, inf) if side == "high" else bound
    edge = ceil(edge) if whole else edge
    before = sum(one.low < edge for one in figure.bins)
    if not before or edge > figure.bins[-1].high:
        return ""
    within = edge < figure.bins[before - 1].high
    x = WIDTH * (before - within / 2) / len(figure.bins)
    return f'<path class="limit" d="M{x:.1f} 2V{BASE}"/>'


def _short(value: float) -> float:
    """To three digits."""
    if not value:
        return 0.0
    return round(value, 2 - int(log10(abs(value)) // 1))
