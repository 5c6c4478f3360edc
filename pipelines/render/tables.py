"""The one view of rows as a table, by columns that are declared; and the small tables of the command line."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from curation.core.wording import counted, listed
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.account.show import ShownRow
    from pipelines.component_docs import Description, Listing

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


def rows(console: Console, documents: "list[ShownRow]") -> None:
    for row in documents:
        verdict = f"[red]{plain(row.reason)}[/]" if row.reason else "[green]kept[/]"
        say(console, f"[bold]{plain(row.url or '(no url)')}[/]  {verdict}")
        say(console, f"  {row.doc_id}")
        for key, signals in row.signals.items():
            telling, noughts = without_noughts(signals)
            shown = [f"{name} {_value(value)}" for name, value in telling.items()]
            say(console, f"  {key}: {plain(', '.join([*shown, *noughts]))}")
        gone = "(its text went with the originals: it was dropped, and the recipe says originals: until_sealed)"
        say(console, f"  [dim]{gone if row.text_gone else plain(' '.join(row.text.split()))}[/]")
    say(console, counted(len(documents), "row"))


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


def components(console: Console, listed: "list[Listing]") -> None:
    cells = []
    verb = None
    for component in listed:
        sentence = component.sentence + (f" (from {component.package})" if component.package else "")
        name = "" if component.verb is verb else component.verb.name
        cells.append((name, f"[bold]{component.key}[/]", plain(sentence)))
        verb = component.verb
    console.print(table(("verb", "key", "what it does"), cells))
    say(console, "for details: winnow describe KEY")


OPTION = (
    Column("default", lambda option: option.default or "(required)"),
    Column("type", "kind"),
    Column("meaning", "note"),
)


def descriptions(console: Console, listed: "list[Description]") -> None:
    for description in listed:
        verb = description.component.verb
        say(console, f"[bold]{verb}: {description.component.key}[/]")
        say(console, "\n".join(map(plain, description.text.splitlines())))
        for title, options in (("option", description.options), (f"beside {verb}:", description.beside)):
            if options:
                console.print(view((Column(title, "name"), *OPTION), options))
        if description.columns:
            console.print(f"columns that it adds, as fields of {description.component.key}:")
        for column in description.columns:
            say(console, f"  {plain(column)}")
        if description.limits:
            console.print("limits by default, by signal:")
        for limit in description.limits:
            say(console, f"  {plain(limit)}")


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
