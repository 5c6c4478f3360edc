"""What `winnow audit RUN --clean` shows: the share of good documents and tokens that each limit drops.

Limits that drop nothing are counted, not listed; `--json` has them all, and every group.
"""

from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.core.wording import counted
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.account.audit.losses.report import Amount, ChainLoss, CleanAudit, LimitLoss, StageLoss

GROUPS = 12  # shown
SIDES = {"low": "≥", "high": "≤", "not_in": "in"}
REWRITE = "rewrite"


def losses(console: Console, report: "CleanAudit") -> None:
    for number, chain in enumerate(report.chains):
        if number:
            console.print()
        _chain(console, report, chain)


def _chain(console: Console, report: "CleanAudit", chain: "ChainLoss") -> None:
    given = chain.given
    kept = chain.kept
    lost = _share(given.documents - kept.documents, given.documents), _share(given.tokens - kept.tokens, given.tokens)
    say(
        console,
        f"[bold]{plain(report.clean)}[/], through {plain(chain.chain)}: {counted(given.documents, 'document')}, "
        f"{given.tokens:,} {plain(report.tokens)}; lost {lost[0]} % of documents and {lost[1]} % of tokens",
    )
    heads = (f" {which}\n{what} %" for which in ("alone", "only this", "in order") for what in ("documents", "tokens"))
    lossy = [stage for stage in chain.stages if stage.limits or stage.lost.tokens]
    rows = [row for stage in lossy for row in _stage(stage, given)]
    if rows:
        console.print(table(("stage and limit", *heads), rows, whole_numbers=True))
    if len(lossy) < len(chain.stages):
        say(console, f"no loss: {plain(', '.join(stage.stage for stage in chain.stages if stage not in lossy))}")
    if len(chain.groups) > 1:
        console.print(_groups(report, chain))
    for note in chain.notes:
        say(console, f"[yellow]note:[/] {plain(note)}")


def _stage(stage: "StageLoss", given: "Amount") -> list[tuple[str, ...]]:
    """The stage's sums, then its limits, those that drop most first."""
    sums = _pair(stage.every, given), ("", ""), _pair(stage.lost, given)
    if stage.verb == REWRITE:
        sums = (("", sums[0][1]), ("", ""), ("", sums[2][1]))
    lines = [(f"[bold]{plain(stage.stage)}[/]", *(cell for pair in sums for cell in pair))]
    ordered = sorted(stage.limits, key=lambda limit: (-limit.alone.tokens, -limit.alone.documents))
    return lines + [(f"  {_limit(limit)}", *_cells(limit, given)) for limit in ordered]


def _cells(limit: "LimitLoss", given: "Amount") -> tuple[str, ...]:
    return (*_pair(limit.alone, given), *_pair(limit.only, given), *_pair(limit.first, given))


def _limit(limit: "LimitLoss") -> str:
    name, _, side = limit.limit.rpartition(":")
    if limit.bound is None or side not in SIDES:
        return plain(limit.limit)
    return f"{plain(name)} {SIDES[side]} {plain(_bound(limit.bound))}"


def _bound(bound: Any) -> str:
    if isinstance(bound, list | tuple):
        return ", ".join(map(str, bound))
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"


def _groups(report: "CleanAudit", chain: "ChainLoss") -> Any:
    """A line per group: what it had, what it lost, and the limit that costs most of its tokens."""
    limits = [(stage, limit) for stage in chain.stages for limit in stage.limits]
    rows = []
    for group in chain.groups[:GROUPS]:
        lost = group.given.documents - group.kept.documents, group.given.tokens - group.kept.tokens
        costs = [(limit.groups[group.group].tokens, limit) for _, limit in limits if group.group in limit.groups]
        worst = max(costs, key=lambda cost: cost[0], default=None)
        named = f"{_limit(worst[1])}: {_share(worst[0], group.given.tokens)} %" if worst and worst[0] else ""
        shares = _share(lost[0], group.given.documents), _share(lost[1], group.given.tokens)
        rows.append(
            (plain(group.group), f"{group.given.documents:,}", f"{group.given.tokens:,}", *shares, named),
        )
    columns = (report.by, " documents", f" {report.tokens}", " lost documents %", " lost tokens %")
    drawn = table((*columns, "costs most tokens alone"), rows, whole_numbers=True)
    if len(chain.groups) > GROUPS:
        drawn.caption = f"and {len(chain.groups) - GROUPS} more; --json has all"
    return drawn


def _pair(amount: "Amount", given: "Amount") -> tuple[str, str]:
    return (
        _share(amount.documents, given.documents) if amount.documents else "",
        _share(amount.tokens, given.tokens) if amount.tokens else "",
    )


def _share(part: int, whole: int) -> str:
    """Percent, one digit after the point; of less than 0.05 % "<0.1"."""
    percent = 100 * part / max(whole, 1)
    return "<0.1" if 0 < percent < 0.05 else f"{percent:.1f}"
