"""The page of `winnow report`: one file with all it needs, which asks nothing of anywhere and reads without scripts.

Text from documents is escaped everywhere: the template's environment escapes each value. The policy in its head allows
the one style and the one script by their hashes, so that nothing in a document could run or load, were it let through.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import jinja2
import yaml
from markupsafe import Markup, escape

from curation.account.card.stage_facts import number
from curation.account.report.composition import LENGTHS, TOKENS
from curation.account.report.reasons import explanation
from curation.account.report.report import RunReport
from curation.core.wording import count, counted, percent, size
from pipelines.recipe_item import readable
from pipelines.report.charts.flow import flow_chart, together
from pipelines.report.charts.histogram import histogram_chart
from pipelines.report.charts.lines import line_chart

if TYPE_CHECKING:
    from curation.account.audit.losses.report import CleanAudit
    from curation.account.report.comparison import RunComparison
    from pipelines.report.trainings import ReportedTraining

T = TypeVar("T")
HERE = Path(__file__).parent
LARGEST = 5_000_000  # bytes
PARTS = (1, 2, 4, 8, 16)  # of what could be shown, one in so many is, until the page is no larger
RECIPE = 200_000  # characters
SHOWN = 25  # rows of a table; the rest is summed
SOURCES = 60  # drawn, the largest
VALUE = 120  # characters of a value that are shown
BODY = b"<body>\n"
SIDES = {"low": "at least", "high": "at most", "not_in": "one of"}
CURVES = ("loss", "validation_loss", "learning_rate", "gradient_norm")
# Marks that order text from right to left, or hide it, in a page of ours.
_STEERING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C], "\ufffd")


def page(
    report: RunReport,
    trainings: "Sequence[ReportedTraining]" = (),
    comparison: "RunComparison | None" = None,
    clean: "CleanAudit | None" = None,
) -> bytes:
    """UTF-8 of the whole page."""
    style = (HERE / "report.css").read_text()
    script = (HERE / "report.js").read_text()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (count, counted, size, number, short, broken, safe_text, flow_chart, histogram_chart, explanation)
    environment.filters |= {each.__name__: each for each in filters}
    recipe = yaml.safe_dump(
        readable(report.recipe), sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )
    template = environment.get_template("report.html.jinja")
    shared = {
        "style": Markup(style),
        "script": Markup(script),
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'",
        "totals": together(report.flows),
        "sides": SIDES,
        "percent": percent,
        "recipe": recipe if len(recipe) <= RECIPE else f"{recipe[:RECIPE]}…",
        "curves": _curves(trainings),
        "trainings": trainings,
        "comparison": comparison,
        "clean": clean,
        "lengths": _lengths(report),
        "token_lengths": _token_lengths(report),
    }
    for part in PARTS:
        fewer = replace(
            report,
            limits=_part(report.limits, part),
            documents=_part(report.documents, part),
            final=report.final[: -(-len(report.final) // part)],
        )
        sizes = {"part": part, "shown": -(-SHOWN // part), "drawn": -(-SOURCES // part)}
        made = template.render(report=fewer, **sizes, **shared).encode(errors="replace")
        if len(made) <= LARGEST:
            break
    return made


def _part(by_stage: Mapping[str, tuple[T, ...]], part: int) -> dict[str, tuple[T, ...]]:
    return {stage: own[: -(-len(own) // part)] for stage, own in by_stage.items()}


def stale(written: bytes, folder: str) -> bytes:
    """A report with the word at its head that the run has changed since; of nothing, a page with that word alone."""
    word = f"This run changes, or has changed, since its report was made. Make it again: winnow report {folder}"
    notice = f'<p class="warn" role="status">{escape(word)}</p>\n'.encode(errors="replace")
    before, body, after = written.partition(BODY)
    if not body:
        head = b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Report of a run</title></head>\n'
        return head + BODY + notice + b"</body></html>\n"
    return written if after.startswith(notice) else before + body + notice + after


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def short(text: object, most: int = VALUE) -> str:
    """A value of a document on one line, cut."""
    plain = safe_text(" ".join(str(text).split()))
    return plain if len(plain) <= most else plain[:most] + "…"


def broken(text: object) -> Markup:
    """A name of a limit or a count, which a narrow window may break behind its dots and underscores."""
    return Markup(re.sub("([._:])", r"\1<wbr>", str(escape(short(text)))))


def safe_text(text: str) -> str:
    """Without marks that would turn the text around it, and without characters that no page may hold."""
    turned = text.translate(_STEERING)
    return "".join(char if char >= " " or char in "\n\t" else "\ufffd" for char in turned)


def _lengths(report: RunReport) -> list[dict[str, object]]:
    """A row of each interval of lengths."""
    names = [f"below {LENGTHS[0]:,.0f}", *(f"{low:,.0f} to {high:,.0f}" for low, high in pairwise(LENGTHS))]
    names.append(f"from {LENGTHS[-1]:,.0f}")
    rows = zip(names, report.composition.lengths, strict=True)
    return [{"name": name, "read": read, "kept": kept} for name, (read, kept) in rows]


def _token_lengths(report: RunReport) -> list[dict[str, object]]:
    """A bar for each interval of tokens, from the shortest to the longest that a document has."""
    found = report.composition.tokens
    if found is None:
        return []
    names = [f"below {TOKENS[0]:,}", *(f"{low:,} to {high - 1:,}" for low, high in pairwise(TOKENS))]
    names.append(f"from {TOKENS[-1]:,}")
    rows = [{"name": name, "documents": number} for name, number in zip(names, found.documents, strict=True)]
    filled = [place for place, row in enumerate(rows) if row["documents"]]
    return rows[filled[0] : filled[-1] + 1]


def _curves(trainings: "Sequence[ReportedTraining]") -> list[tuple[str, Markup]]:
    drawn = []
    every = [one.curves for one in trainings if one.curves is not None]
    for name in CURVES:
        lines = [(one.run, one.curves[name].steps, one.curves[name].values) for one in every]
        chart = line_chart(name.replace("_", " "), lines)
        if chart:
            drawn.append((name.replace("_", " "), chart))
    return drawn
