"""What `winnow audit` shows: by stage the groups that it drops more often, documents behind them, and associations."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from curation.core.wording import counted, listed, percent
from pipelines.render.console import plain, say
from pipelines.render.tables import DENSE, Column, counts, view

if TYPE_CHECKING:  # slow to import
    from curation.account.audit.associations import Association, Cooccurrence
    from curation.account.audit.audit import Audit, StageTotal
    from curation.account.audit.rates import GroupRate
    from curation.account.audit.worst import Disparity

SHOWN = 12  # groups of a stage, and associations; --json has all
LEAST_BLOCKS = 5  # with both words, for an association to be shown


def _elsewhere(rate: "GroupRate") -> str:
    share = "" if rate.rate_elsewhere is None else f"{100 * rate.rate_elsewhere:.1f} %"
    return f"{share}{' (one domain)' if rate.one_domain else ''}"


RATES = (
    Column("by"),
    Column("group"),
    *counts("documents", "dropped"),
    Column("rate", lambda rate: 100 * rate.rate, "{:.1f} %".format),
    Column("rest", lambda rate: 100 * rate.rest_rate, "{:.1f} %".format),
    Column("difference, 95 %", lambda rate: f"{100 * rate.low:+.1f} to {100 * rate.high:+.1f}", str),
    Column("ratio", form=".2f"),
    Column("at equal length", "ratio_at_equal_length", ".2f"),
    Column("elsewhere", _elsewhere, str),
    Column("mostly dropped as", lambda rate: f"{rate.reason} ({rate.reason_documents:,})" if rate.reason else ""),
)
ASSOCIATIONS = (
    Column("group"),
    Column("word", "attribute"),
    Column("theme"),
    Column("npmi before", "before.npmi", "+.2f"),
    Column("blocks", "before.both", ","),
    Column("of the group's", "before.group", ","),
    Column("after", "after.npmi", "+.2f"),
    Column("blocks", "after.both", ","),
    Column("of the group's", "after.group", ","),
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
        console.print(view(RATES, more[:SHOWN], **DENSE))
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
    ordered = sorted(enough, key=lambda each: -max(_strength(each.before), _strength(each.after)))
    if ordered:
        console.print(view(ASSOCIATIONS, ordered[:SHOWN], **DENSE))


def _strength(pair: "Cooccurrence") -> float:
    return -1.0 if pair.npmi is None else pair.npmi
