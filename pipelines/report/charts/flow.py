"""The way of a source's documents as a band that narrows at each stage, drawn on the server.

Its height is the share of the source's records that is left; what a stage drops falls off below it. Names and counts
stand beside each step, so that nothing is told by colour alone.
"""

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from curation.account.report.flow import FlowStep, SourceFlow

STEP = 104  # pixels of width
HEIGHT = 56
TOP = 8
LABELS = 34


def flow_chart(flow: SourceFlow) -> Markup:
    """An SVG of the records, then of what each stage kept."""
    heights = [_height(flow, flow.records), *(_height(flow, step.kept) for step in flow.steps)]
    width = STEP * len(flow.steps) + 12
    bands = [_band(number, pair) for number, pair in enumerate(pairwise(heights))]
    labels = [_label(number, step) for number, step in enumerate(flow.steps)]
    title = escape(f"{flow.source}: {flow.records:,} records, {flow.kept:,} documents kept")
    body = Markup("").join([*bands, *labels])
    return Markup(
        f'<svg class="flow" viewBox="0 0 {width} {TOP + HEIGHT + LABELS}" width="{width}" '
        f'height="{TOP + HEIGHT + LABELS}" role="img" aria-label="{title}">{body}</svg>'
    )


def _height(flow: SourceFlow, documents: int) -> float:
    return round(HEIGHT * documents / max(flow.records, 1), 2)


def _band(number: int, heights: tuple[float, float]) -> Markup:
    """What stays, and what falls off, between two columns."""
    before, after = heights
    left = STEP * number
    bend = left + STEP * 0.45
    right = left + STEP
    kept = f"M{left} {TOP}H{right}V{TOP + after}H{bend}L{left} {TOP + before}Z"
    lost = f"M{left} {TOP + before}L{bend} {TOP + after}H{bend + 14}V{TOP + before}Z"
    gone = f'<path class="lost" d="{lost}"/>' if before - after >= 0.05 else ""
    return Markup(f'<path class="kept" d="{kept}"/>{gone}')


def _label(number: int, step: FlowStep) -> Markup:
    x = STEP * number + 4
    y = TOP + HEIGHT + 13
    name = step.stage if len(step.stage) <= 15 else step.stage[:14] + "…"
    lines = f'<text x="{x}" y="{y}">{escape(name)}</text><text x="{x}" y="{y + 14}">{step.kept:,}</text>'
    return Markup(f"<g><title>{escape(_words(step))}</title>{lines}</g>")


def _words(step: FlowStep) -> str:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in list(step.dropped.items())[:5])
    return f"{step.stage}: read {step.rows:,}, kept {step.kept:,}" + (f"; dropped: {reasons}" if reasons else "")


def together(flows: Sequence[SourceFlow]) -> tuple[int, int, int | None]:
    """Records, documents kept, and tokens (None: none) of all sources."""
    tokens = [step.tokens for flow in flows for step in flow.steps if step.tokens is not None]
    return sum(flow.records for flow in flows), sum(flow.kept for flow in flows), sum(tokens) if tokens else None
