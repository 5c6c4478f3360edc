"""Curves of trainings as lines over their steps."""

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup, escape

WIDTH = 460
HEIGHT = 190
LEFT = 56
BASE = 160
POINTS = 400  # of a line
COLOURS = 6


def line_chart(title: str, lines: Sequence[tuple[str, Sequence[int], Sequence[float]]]) -> Markup:
    """An SVG of lines (name, steps, values), nothing without a finite value; the page says which line is whose."""
    finite = [
        (name, [point for point in zip(steps, values, strict=True) if isfinite(point[1])])
        for name, steps, values in lines
    ]
    points = [point for _, own in finite for point in own]
    if not points:
        return Markup("")
    last = max(step for step, _ in points) or 1
    low = min(value for _, value in points)
    high = max(value for _, value in points)
    span = (high - low) or 1.0
    drawn = []
    for number, (name, own) in enumerate(finite):
        path = " ".join(
            f"{LEFT + (WIDTH - LEFT) * step / last:.1f},{BASE - (BASE - 12) * (value - low) / span:.1f}"
            for step, value in own[:: max(len(own) // POINTS, 1)]
        )
        drawn.append(
            f'<polyline class="line c{number % COLOURS}" points="{path}"><title>{escape(name)}</title></polyline>'
        )
    axis = f'<path class="axis" d="M{LEFT} 8V{BASE}H{WIDTH}"/>'
    marks = (
        f'<text x="{LEFT - 4}" y="16" class="end">{high:.4g}</text>'
        f'<text x="{LEFT - 4}" y="{BASE}" class="end">{low:.4g}</text>'
        f'<text x="{LEFT}" y="{BASE + 16}">0</text><text x="{WIDTH}" y="{BASE + 16}" class="end">{last:,}</text>'
    )
    return Markup(
        f'<svg class="lines" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">{axis}{"".join(drawn)}{marks}</svg>'
    )
