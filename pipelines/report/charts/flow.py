"""The way of a source's documents as a band that narrows at each stage, drawn on the server.

Its height is the share of the pages or documents read that is left; what a stage drops falls off below it. Names and
counts stand beside each step, so that nothing is told by colour alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

from curation.account.report.flow import FlowStep, SourceFlow

STEP = 104  # pixels of width, of few stages …
WIDEST = 1080  # … which many stages share
NARROWEST = 64
LETTER = 6.7  # pixels of a name's
HEIGHT = 56
TOP = 8
LABELS = 34


def flow_chart(flow: SourceFlow) -> Markup:
    """An SVG of the records, then of what each stage kept."""
    heights = [_height(flow, flow.read), *(_height(flow, step.kept) for step in flow.steps)]
    step = max(min(STEP, WIDEST // len(flow.steps)), NARROWEST)
    width = step * len(flow.steps) + 12
    bands = [_band(number, step, pair) for number, pair in enumerate(pairwise(heights))]
    labels = [_label(number, step, one) for number, one in enumerate(flow.steps)]
    title = escape(f"{flow.source}: {flow.read:,} {'pages' if flow.pages else 'documents'} read, {flow.kept:,} kept")
    body = Markup("").join([*bands, *labels])
    return Markup(
        f'<svg class="flow" viewBox="0 0 {width} {TOP + HEIGHT + LABELS}" width="{width}" '
        f'height="{TOP + HEIGHT + LABELS}" role="img" aria-label="{title}">{body}</svg>'
    )


def _height(flow: SourceFlow, documents: int) -> float:
    return round(HEIGHT * documents / max(flow.read, 1), 2)


def _band(number: int, step: int, heights: tuple[float, float]) -> Markup:
    """What stays, and what falls off, between two columns."""
    before, after = heights
    left = step * number
    bend = left + step * 0.45
    right = left + step
    kept = f"M{left} {TOP}H{right}V{TOP + after}H{bend}L{left} {TOP + before}Z"
    lost = f"M{left} {TOP + before}L{bend} {TOP + after}H{bend + 14}V{TOP + before}Z"
    gone = f'<path class="lost" d="{lost}"/>' if before - after >= 0.05 else ""
    return Markup(f'<path class="kept" d="{kept}"/>{gone}')


def _label(number: int, width: int, step: FlowStep) -> Markup:
    x = width * number + 4
    letters = int(width / LETTER)
    y = TOP + HEIGHT + 13
    name = step.stage if len(step.stage) <= letters else step.stage[: letters - 1] + "…"
    lines = f'<text x="{x}" y="{y}">{escape(name)}</text><text x="{x}" y="{y + 14}">{step.kept:,}</text>'
    return Markup(f"<g><title>{escape(_words(step))}</title>{lines}</g>")


def _words(step: FlowStep) -> str:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in list(step.dropped.items())[:5])
    return f"{step.stage}: read {step.rows:,}, kept {step.kept:,}" + (f"; dropped: {reasons}" if reasons else "")


@dataclass(frozen=True)
class Totals:
    """Of all sources: `noun` is "page" where all documents are pages, `passed_over` the records that are none."""

    noun: str
    read: int
    passed_over: int
    kept: int
    tokens: int | None


def together(flows: Sequence[SourceFlow]) -> Totals:
    """The sums of the sources; no tokens before there are any."""
    tokens = [step.tokens for flow in flows for step in flow.steps if step.tokens is not None]
    read = sum(flow.read for flow in flows)
    return Totals(
        noun="page" if all(flow.pages for flow in flows) else "document",
        read=read,
        passed_over=sum(flow.records for flow in flows) - read,
        kept=sum(flow.kept for flow in flows),
        tokens=sum(tokens) if tokens else None,
    )
