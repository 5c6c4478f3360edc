"""What `winnow audit` shows: by stage the groups that it drops more often, documents behind them, and associations."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console

from curation.core.wording import counted, listed, percent
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.account.audit.associations import Association, Cooccurrence
    from curation.account.audit.audit import Audit, StageTotal
    from curation.account.audit.rates import GroupRate
    from curation.account.audit.worst import Disparity

SHOWN = 12  # groups of a stage, and associations; --json has all
LEAST_BLOCKS = 5  # with both words, for an association to be shown
COLUMNS = (
    *("by", "group", " documents", " dropped", " rate", " rest", " difference, 95 %", " ratio", " at equal length"),
    *(" elsewhere", "mostly dropped as"),
)

LEGEND = (
    "rest: the rate of all other documents; difference: of the two, in percentage points, the interval of 95 %; ratio: "
    "dropped, for each that the rest's rate would drop; at equal length: the same, at the rest's rate for each length; "
    "elsewhere: the rate without the group's largest domain, (one domain) where the difference is then within chance"
)


def audit(console: Console, report: "Audit") -> None:
    more = sum(rate.finding == "more" for rate in report.rates)
    say(
        console,
        f"[bold]{plain(report.run)}[/]: {counted(report.comparisons, 'comparison')} of a group at a stage; in {more:,} "
        "the group is dropped more often than the rest",
    )
    say(console, LEGEND)
    for stage in report.stages:
        _stage(console, stage, [rate for rate in report.rates if rate.stage == stage.stage])
    for disparity in report.disparities:
        _documents(console, disparity, report.run)
    _associations(console, report.associations)
    say(console, "\n[bold]limits of the method[/]")
    for limit in report.limits:
        console.print(f"- {plain(limit)}", highlight=False)


def _stage(console: Console, stage: "StageTotal", rates: "Sequence[GroupRate]") -> None:
    more = [rate for rate in rates if rate.finding == "more"]
    less = [rate for rate in reversed(rates) if rate.finding == "less"]
    dropped = f"{counted(stage.documents, 'document')}, {stage.dropped:,} dropped"
    share = percent(stage.dropped, stage.documents)
    say(console, f"\n[bold]{plain(stage.stage) or 'all stages together'}[/]: {dropped} ({share})")
    if more:
        rows = [_cells(rate) for rate in more[:SHOWN]]
        console.print(
            table(COLUMNS, rows, whole_numbers=True, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        )
    else:
        say(console, "  dropped more often than the rest: no group, beyond chance")
    if len(more) > SHOWN:
        say(console, f"  … and {counted(len(more) - SHOWN, 'more group')} (--json has them all)")
    if less:
        names = listed((f"{rate.by} {rate.group} ({100 * rate.rate:.1f} %)" for rate in less), SHOWN)
        say(console, f"  dropped less often: {plain(names)}")
    small = sum(rate.p is None for rate in rates)
    if small:
        say(console, f"  too small to compare: {counted(small, 'group')}")


def _cells(rate: "GroupRate") -> tuple[str, ...]:
    elsewhere = "" if rate.rate_elsewhere is None else f"{100 * rate.rate_elsewhere:.1f} %"
    cause = f"{rate.reason} ({rate.reason_documents:,})" if rate.reason else ""
    return (
        rate.by,
        plain(rate.group),
        f"{rate.documents:,}",
        f"{rate.dropped:,}",
        f"{100 * rate.rate:.1f} %",
        f"{100 * rate.rest_rate:.1f} %",
        f"{100 * rate.low:+.1f} to {100 * rate.high:+.1f}",
        _ratio(rate.ratio),
        _ratio(rate.ratio_at_equal_length),
        f"{elsewhere}{' (one domain)' if rate.one_domain else ''}",
        plain(cause),
    )


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _documents(console: Console, disparity: "Disparity", run: str) -> None:
    if not disparity.documents:
        return
    folder = shlex.quote(run)
    order = ", by id" if disparity.documents[0].value is None else ", furthest beyond the limit first"
    say(
        console,
        f"\n[bold]worst of {plain(disparity.stage)}[/]: {disparity.by} {plain(disparity.group)}, dropped as "
        f"{plain(disparity.reason)}{order}",
    )
    for document in disparity.documents:
        value = "" if document.value is None else f"{document.value:>10.4g}  "
        say(console, f"  {document.doc_id}  {value}{plain(document.url or '(no url)')}")
    say(console, f"  winnow why {plain(folder)} --doc-id {disparity.documents[0].doc_id}")
    say(
        console,
        f"  winnow show {plain(folder)} {plain(disparity.stage)} --reason {plain(shlex.quote(disparity.reason))}",
    )


def _associations(console: Console, found: "Sequence[Association]") -> None:
    enough = [each for each in found if max(each.before.both, each.after.both) >= LEAST_BLOCKS]
    if not found:
        return
    title = f"\n[bold]associations[/] in {LEAST_BLOCKS} or more blocks of text, strongest first"
    say(console, f"{title}: {len(enough):,} of {len(found):,} pairs of a group and a word")
    columns = (
        "group",
        "word",
        "theme",
        " npmi before",
        " blocks",
        " of the group's",
        " after",
        " blocks",
        " of the group's",
    )
    ordered = sorted(enough, key=lambda each: -max(_strength(each.before), _strength(each.after)))
    rows = [
        (plain(each.group), plain(each.attribute), plain(each.theme), *_pair(each.before), *_pair(each.after))
        for each in ordered[:SHOWN]
    ]
    if rows:
        console.print(
            table(columns, rows, whole_numbers=True, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        )


def _strength(pair: "Cooccurrence") -> float:
    return -1.0 if pair.npmi is None else pair.npmi


def _pair(pair: "Cooccurrence") -> tuple[str, str, str]:
    return "" if pair.npmi is None else f"{pair.npmi:+.2f}", f"{pair.both:,}", f"{pair.group:,}"
