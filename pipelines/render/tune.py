"""What `winnow tune` shows: sums, a line per limit and per language, histograms, and the options for a recipe.

It fits 80 columns: tables round counts from 100,000 on to three digits; `--json` has them exactly.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from curation.account.tune.limits import EVERY, bound_for
from curation.account.tune.tune_report import LimitLine, LostDocuments, Tuning, WonDocuments
from curation.core.wording import counted
from curation.engine.recipe.recipe import JOINED
from pipelines.recipe_item import item_text
from pipelines.render.console import plain, say, table
from pipelines.render.histograms import histogram, value
from pipelines.render.tables import DENSE, Column, counts, view

if TYPE_CHECKING:
    from curation.account.tune.fit_languages import FittedKit, FittedKits

LANGUAGES = 8  # shown; --json has all
HISTOGRAMS = 5  # drawn if no limit changed
OVERRIDES = 2  # languages with their own limits shown with a limit
SIDES = {"low": "≥", "high": "≤", "not_in": "in"}


def tunings(console: Console, tuned: Sequence[Tuning]) -> None:
    for number, tuning in enumerate(tuned):
        if number:
            console.print()
        _sums(console, tuning)
        console.print(_limits(tuning))
        if tuning.languages:
            console.print(_languages(tuning))
        _histograms(console, tuning)
        if tuning.options and tuning.item:
            place = tuning.chain if tuning.chain == JOINED else f"sources: {tuning.chain}"
            say(console, plain(f"in the recipe, replace stage {tuning.stage} (under {place}) with:"))
            console.print(
                Text("  " + item_text(tuning.item, tuning.kept_languages).replace("\n", "\n  ")), soft_wrap=True
            )
        for note in tuning.notes:
            _hanging(console, "[yellow]note:[/]", plain(note))


def _kit_limits(kit: "FittedKit") -> int:
    return sum(name != "stop_words" for options in kit.options.values() for name in options)


KITS = (Column("language"), *counts("documents"), Column("limits", _kit_limits, ","), Column("file"))


def fitted_kits(console: Console, fitted: "FittedKits") -> None:
    """The files that `--fit-languages` wrote."""
    shown = view(KITS, fitted.kits, box=box.SIMPLE)
    console.print(shown if fitted.kits else "no language has enough documents for a kit")
    for note in fitted.notes:
        _hanging(console, "[yellow]note:[/]", plain(note))


def _histograms(console: Console, tuning: Tuning) -> None:
    """Draws the signals whose limits changed. If none did, draws those that drop most and names the others."""
    changed = {line.limit.rpartition(":")[0] for line in tuning.limits if line.before != line.after}
    fired = {line.limit.rpartition(":")[0] for line in tuning.limits if line.beyond_before}
    dropping = list(dict.fromkeys(limit.rpartition(":")[0] for limit in tuning.dropped_before))
    shown = changed or dropping[:HISTOGRAMS]
    languages = [None, *(line.language for line in tuning.languages[:LANGUAGES])]
    for figure in tuning.histograms:
        if figure.language in languages and figure.signal in shown:
            histogram(console, figure)
    others = list(dict.fromkeys(figure.signal for figure in tuning.histograms if figure.signal not in shown))
    for label, names in (
        ("--json has the histograms of", [name for name in others if name in fired]),
        ("no document breaks", [name for name in others if name not in fired]),
    ):
        if names and not changed:
            _hanging(console, label, ", ".join(names))


def _hanging(console: Console, label: str, text: str) -> None:
    """Prints the label, and beside it the text on as many lines as it needs."""
    grid = Table.grid("", "", padding=(0, 1))
    grid.add_row(label, text)
    console.print(grid, highlight=False)


def _sums(console: Console, tuning: Tuning) -> None:
    gone = f" ({tuning.gone:,} of them lost before)" if tuning.gone else ""
    kept = [
        f"{kept:,} kept ({100 * kept / max(tuning.rows, 1):.1f} %)" for kept in (tuning.kept_before, tuning.kept_after)
    ]
    sums = f"{counted(tuning.rows, 'document')}{gone}, {' → '.join(kept if tuning.options else kept[1:])}"
    _hanging(console, f"[bold]{tuning.stage}:[/]", sums)
    if tuning.options:
        _hanging(console, "  won ", _won(tuning.won))
        _hanging(console, "  lost", _lost(tuning.lost))


def _won(won: WonDocuments) -> str:
    size = f"{won.text_bytes / 1e6:,.1f} MB" if won.text_bytes >= 100_000 else f"{won.text_bytes / 1e3:,.1f} kB"
    tokens = f", about {won.tokens:,} tokens" if won.tokens is not None else ""
    return counted(won.documents, "document") + (f", about {size} of text{tokens}" if won.documents else "")


def _lost(lost: LostDocuments) -> str:
    tokens = f" with {lost.tokens:,} tokens" if lost.tokens is not None else ""
    later = "".join(f", {count:,} dropped by {name} anyway" for name, count in lost.dropped_later.items())
    end = f": {lost.kept_to_end:,} kept to the end{tokens}{later}" if lost.documents else ""
    return f"{counted(lost.documents, 'document')}{end}"


def _limits(tuning: Tuning) -> Table:
    """A row per limit; if limits changed, only those and the ones that win or lose documents."""
    changed = bool(tuning.options)
    columns = (" beyond", " after", " won", " ~tokens", " lost", " tokens") if changed else (" beyond", " alone")
    rows = list[tuple[str, ...]]()
    key = ""
    for line in tuning.limits:
        won = line.won
        lost = line.lost
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
    return table(("limit", *columns), rows, **DENSE)


def _limit(limit: str, line: LimitLine, changed: bool) -> str:
    """The signal with its bound; if limits changed, each bound before and after on its own line."""
    signal, _, side = limit.partition(":")
    sign = SIDES.get(side)
    if sign is None:
        return f"  {signal} {side}"
    if not changed:
        others = len(line.before) - (EVERY in line.before)
        own = f" (not in {counted(others, 'language')})" if others else ""
        return f"  {signal} {sign} {value(line.before.get(EVERY))}{own}"
    return "\n    ".join([f"  {signal}", *_changes(sign, line)])


def _changes(sign: str, line: LimitLine) -> list[str]:
    """The bound for all languages, then those of languages that change differently."""
    pairs = {}
    for language in dict.fromkeys([EVERY, *line.before, *line.after]):
        pairs[language] = tuple(value(bound_for(bounds, language)) for bounds in (line.before, line.after))
    general = pairs.pop(EVERY)
    own = {language: pair for language, pair in pairs.items() if pair != general and pair[0] != pair[1]}
    shown = [(sign, general), *((f"{plain(name)} {sign}", own[name]) for name in list(own)[:OVERRIDES])]
    more = len(own) - OVERRIDES
    lines = [f"{head} {' → '.join(dict.fromkeys(pair))}" for head, pair in shown]
    return lines + ([f"and in {counted(more, 'more language')}"] if more > 0 else [])


def _languages(tuning: Tuning) -> Table:
    columns = (
        Column("language", lambda line: line.language or "(none)"),
        Column("documents", "rows", _count),
        Column("kept", "kept_before", _count),
        Column("after", "kept_after", _count),
        Column("won", "won.documents", _count),
        Column("lost", "lost.documents", _count),
        Column("of them to the end", "lost.kept_to_end", _count),
    )
    return view(columns, tuning.languages[:LANGUAGES], **DENSE)


def _count(number: int | None) -> str:
    """Empty for 0 and None; exact below 100,000, else three digits."""
    if not number:
        return ""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if number >= unit:
            size = number / (1e3 if name == "k" else unit)
            return f"{size:.{max(0, 3 - len(str(int(size))))}f}{name}"
    return f"{number:,}"
