"""What `winnow tune` shows: sums, a line per limit and per language, histograms, and the options as a recipe has them.

Fits 80 columns: from 100,000 on, counts in tables have three digits; `--json` has all of them. Draws only.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import yaml
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from curation.account.card.text import counted
from curation.account.tune.limits import EVERY, bound_for
from curation.account.tune.tune_report import LimitLine, Lost, Tuning, Won
from pipelines.render.console import plain, table
from pipelines.render.histograms import histogram, value

LANGUAGES = 8  # shown; --json has all
HISTOGRAMS = 5  # drawn where no limit changed
OVERRIDES = 2  # limits of single languages shown with a limit
SIDES = {"low": "≥", "high": "≤", "not_in": "in"}


def tunings(console: Console, found: Sequence[Tuning]) -> None:
    """Each stage's sums, limits, languages, histograms, options and notes."""
    for number, one in enumerate(found):
        if number:
            console.print()
        _sums(console, one)
        console.print(_limits(one))
        if one.languages:
            console.print(_languages(one))
        _histograms(console, one)
        if one.options:
            console.print("as a recipe:")
            recipe = yaml.safe_dump({"filter": _plain(one.options)}, sort_keys=False, default_flow_style=None, width=72)
            console.print(Text("  - " + recipe.strip().replace("\n", "\n    ")), soft_wrap=True)
        for note in one.notes:
            _hanging(console, "[yellow]note:[/]", plain(note))


def _histograms(console: Console, one: Tuning) -> None:
    """Of the limits that changed; where none did, of those that drop most, the others by name."""
    changed = {line.limit.rpartition(":")[0] for line in one.limits if line.before != line.after}
    fired = {line.limit.rpartition(":")[0] for line in one.limits if line.beyond_before}
    dropping = list(dict.fromkeys(limit.rpartition(":")[0] for limit in one.dropped_before))
    shown = changed or dropping[:HISTOGRAMS]
    languages = [None, *(line.language for line in one.languages[:LANGUAGES])]
    for figure in one.histograms:
        if figure.language in languages and figure.signal in shown:
            histogram(console, figure)
    others = list(dict.fromkeys(figure.signal for figure in one.histograms if figure.signal not in shown))
    for label, names in (
        ("--json has the histograms of", [name for name in others if name in fired]),
        ("no document is beyond", [name for name in others if name not in fired]),
    ):
        if names and not changed:
            _hanging(console, label, ", ".join(names))


def _hanging(console: Console, label: str, text: str) -> None:
    """The label, and beside it the text, in as many lines as it needs."""
    grid = Table.grid("", "", padding=(0, 1))
    grid.add_row(label, text)
    console.print(grid, highlight=False)


def _sums(console: Console, one: Tuning) -> None:
    gone = f" ({one.gone:,} of them lost before)" if one.gone else ""
    kept = [f"{kept:,} kept ({100 * kept / max(one.rows, 1):.1f} %)" for kept in (one.kept_before, one.kept_after)]
    sums = f"{counted(one.rows, 'document')}{gone}, {' → '.join(kept if one.options else kept[1:])}"
    _hanging(console, f"[bold]{one.stage}:[/]", sums)
    if one.options:
        _hanging(console, "  won ", _won(one.won))
        _hanging(console, "  lost", _lost(one.lost))


def _won(won: Won) -> str:
    size = f"{won.text_bytes / 1e6:,.1f} MB" if won.text_bytes >= 100_000 else f"{won.text_bytes / 1e3:,.1f} kB"
    tokens = f", about {won.tokens:,} tokens" if won.tokens is not None else ""
    return counted(won.documents, "document") + (f", about {size} of text{tokens}" if won.documents else "")


def _lost(lost: Lost) -> str:
    tokens = f" with {lost.tokens:,} tokens" if lost.tokens is not None else ""
    later = "".join(f", {count:,} dropped by {name} anyway" for name, count in lost.dropped_later.items())
    end = f": {lost.kept_to_end:,} kept to the end{tokens}{later}" if lost.documents else ""
    return f"{counted(lost.documents, 'document')}{end}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    return table(columns, rows, whole_numbers=True, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)


def _limits(one: Tuning) -> Table:
    """A row per limit; where limits were changed, only those and the ones at which documents change sides."""
    changed = bool(one.options)
    columns = (" beyond", " after", " won", " ~tokens", " lost", " tokens") if changed else (" beyond", " alone")
    rows, key = list[tuple[str, ...]](), ""
    for line in one.limits:
        won, lost = line.won, line.lost
        counts: list[int | None] = [line.beyond_before, line.alone]
        if changed:
            counts = [line.beyond_before, line.beyond_after, won.documents, won.tokens, lost.documents, lost.tokens]
        if changed and not (won.documents or lost.documents or line.before != line.after):
            continue
        owner, _, limit = line.limit.partition(".")
        if owner != key:
            rows.append((f"[bold]{owner}[/]",))
            key = owner
        rows.append((_limit(limit, line, changed), *map(_count, counts)))
    return _table(("limit", *columns), rows)


def _limit(limit: str, line: LimitLine, changed: bool) -> str:
    """The signal with its bound; where limits were changed, each bound before and after on a line of its own."""
    signal, _, side = limit.partition(":")
    sign = SIDES.get(side)
    if sign is None:
        return f"  {signal} {side}"
    if not changed:
        others = len(line.before) - (EVERY in line.before)
        own = f" (not in {others} language{'s' * (others > 1)})" if others else ""
        return f"  {signal} {sign} {value(line.before.get(EVERY))}{own}"
    return "\n    ".join([f"  {signal}", *_changes(sign, line)])


def _changes(sign: str, line: LimitLine) -> list[str]:
    """The bound for all languages, then those of single languages that change otherwise."""
    found = {}
    for language in dict.fromkeys([EVERY, *line.before, *line.after]):
        found[language] = tuple(value(bound_for(bounds, language)) for bounds in (line.before, line.after))
    general = found.pop(EVERY)
    own = {language: pair for language, pair in found.items() if pair != general and pair[0] != pair[1]}
    shown = [(sign, general), *((f"{plain(name)} {sign}", own[name]) for name in list(own)[:OVERRIDES])]
    more = len(own) - OVERRIDES
    lines = [f"{head} {' → '.join(dict.fromkeys(pair))}" for head, pair in shown]
    return lines + ([f"and in {more} more language{'s' * (more > 1)}"] if more > 0 else [])


def _languages(one: Tuning) -> Table:
    rows = []
    for line in one.languages[:LANGUAGES]:
        ends = line.won.documents, line.lost.documents, line.lost.kept_to_end
        counts = (line.rows, line.kept_before, line.kept_after, *ends)
        rows.append((plain(line.language or "(none)"), *map(_count, counts)))
    return _table(("language", " documents", " kept", " after", " won", " lost", " of them to the end"), rows)


def _count(number: int | None) -> str:
    """Nothing for none; exact where it is short, else three digits."""
    if not number:
        return ""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if number >= unit:
            size = number / (1e3 if name == "k" else unit)
            return f"{size:.{max(0, 3 - len(str(int(size))))}f}{name}"
    return f"{number:,}"


def _plain(value: Any) -> Any:
    """Tuples as lists, mappings as dicts."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
