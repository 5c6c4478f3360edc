"""The one view of rows as a table, by columns that are declared; and the small tables of the command line."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from curation.account.report.reasons import brief
from curation.core.wording import counted, listed
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.account.sealed.bounds import DecidingLimit
    from curation.account.show import ShownRow

# How a table looks that must fit beside text in 80 columns.
DENSE: dict[str, Any] = {"whole_numbers": True, "box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0), "pad_edge": False}
FEW = 20  # values of a component that are shown even if they are 0


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.1f}"


def percents(share: float) -> str:
    return f"{100 * share:.1f}"


def unless_0(count: int) -> str:
    return f"{count:,}" if count else ""


@dataclass(frozen=True)
class Column:
    """A column by its title. `value` is a field of a row (default: the title's), a path such as "read.whole", or a
    function of the row. Without a `form` it is text at the left; with one, a format or a function, a number at the
    right. None is an empty cell."""

    title: str
    value: str | Callable[[Any], Any] = ""
    form: str | Callable[[Any], str] = ""

    def cell(self, row: Any) -> str:
        value = self._value(row)
        if value is None:
            return ""
        if callable(self.form):
            return self.form(value)
        return format(value, self.form) if self.form else plain(str(value))

    def _value(self, row: Any) -> Any:
        if callable(self.value):
            return self.value(row)
        name = self.value or self.title.replace(" ", "_")
        return row[name] if isinstance(row, Mapping) else attrgetter(name)(row)


def counts(*titles: str) -> tuple[Column, ...]:
    """Columns of whole numbers whose fields have the names of their titles."""
    return tuple(Column(title, form=",") for title in titles)


def view(columns: Sequence[Column], rows: Iterable[Any], **style: Any) -> Table:
    """A table with a line for each row; `style` as of `table`."""
    titles = [f" {column.title}" if column.form else column.title for column in columns]
    return table(titles, ([column.cell(row) for column in columns] for row in rows), **style)


def next_commands(console: Console, folder: str) -> None:
    """Prints the run's folder and commands that can be copied into a shell."""
    run = shlex.quote(f"./{folder}" if folder.startswith("-") else folder)
    following = f"next: winnow why {run} --url URL, winnow show {run} STAGE"
    say(console, plain(f"outputs in {folder}; {following}"))


PLAN = (
    Column("stage"),
    Column("verb"),
    Column("components", lambda row: ", ".join(row["components"])),
    Column("folder", lambda row: row["folder"] or "?"),
    Column("status", lambda row: row["status"] + _done(row)),
)


def plan(console: Console, rows: list[dict[str, Any]]) -> None:
    console.print(view(PLAN, rows))
    for row in rows:
        for note in row["notes"]:
            say(console, f"{row['stage']}: {plain(note)}")


def _done(row: dict[str, Any]) -> str:
    return f" {row['units_done']} of {row['units']} shards" if row["status"] == "partly done" else ""


SIDES = {"low": "at least", "high": "at most", "not_in": "one of"}


def rows(console: Console, documents: "list[ShownRow]", *, every: bool = False) -> None:
    """Draws each document with the limit that decided, and with `every` signal if asked."""
    for row in documents:
        verdict = f"[red]{plain(row.reason)}[/]" if row.reason else "[green]kept[/]"
        say(console, f"[bold]{plain(row.url or '(no url)')}[/]  {verdict}")
        say(console, f"  {row.doc_id}")
        if row.decided is not None:
            say(console, f"  [bold]{plain(_decided(row.decided))}[/]")
            if brief(row.reason or ""):
                say(console, f"  {brief(row.reason or '')}")
        for key, signals in row.signals.items():
            if not every and (row.decided is not None or not _named(key, row.reason)):
                continue
            telling, noughts = without_noughts(signals)
            shown = [f"{name} {_value(value)}" for name, value in telling.items()]
            say(console, f"  {key}: {plain(', '.join([*shown, *noughts]))}")
        gone = "(its text went with the originals: it was dropped, and the recipe says originals: until_sealed)"
        say(console, f"  [dim]{gone if row.text_gone else plain(' '.join(row.text.split()))}[/]")
    hidden = not every and any(row.signals for row in documents)
    say(console, counted(len(documents), "row") + ("; --all shows all signals" if hidden else ""))


def _decided(limit: "DecidingLimit") -> str:
    bound = listed(map(str, limit.bound), FEW) if isinstance(limit.bound, list | tuple) else _value(limit.bound)
    return f"{limit.signal} is {_value(limit.value)}; the limit is {SIDES[limit.side]} {bound}"


def _named(key: str, reason: str | None) -> bool:
    """Whether a drop reason names a component, such as `dedup.exact:duplicate` does `exact`."""
    return reason is not None and key in reason.partition(":")[0].split(".")


def without_noughts(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What a component measured or counted of a document: all of a few values, and of many those that are not 0, with
    the words for the others."""
    telling = {name: value for name, value in values.items() if value != 0 or len(values) <= FEW}
    others = len(values) - len(telling)
    return telling, [f"{others} other{'s' if others > 1 else ''} 0"] if others else []


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{listed(map(str, value))}]"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def training_result(console: Console, result: dict[str, Any], output: str) -> None:
    loss = result["validation_loss"]
    entropy = result["unigram_entropy"]
    side = "below" if loss <= entropy else "above"
    say(
        console,
        f"trained {result['steps']} steps on {result['tokens']:,} tokens, {result['parameters']:,} parameters: "
        f"validation loss {loss:.3f} nats per token, {100 * abs(1 - loss / entropy):.1f} % {side} the unigram entropy "
        f"{entropy:.3f}; checkpoints and metrics in {plain(output)}",
    )
