"""Small tables of the command line. Draws only; computes no figures."""

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.core.wording import counted, listed
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.account.show import Row
    from pipelines.component_docs import Description, Listing

FEW = 20  # values of a component that are shown even if they are 0


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f}"


def next_commands(console: Console, folder: str) -> None:
    """Prints the run's folder and commands that can be copied into a shell."""
    run = shlex.quote(f"./{folder}" if folder.startswith("-") else folder)
    following = f"next: winnow why {run} --url URL, winnow show {run} STAGE"
    say(console, plain(f"outputs in {folder}; {following}"))


def plan(console: Console, rows: list[dict[str, Any]]) -> None:
    cells = []
    for row in rows:
        done = f" {row['units_done']} of {row['units']} shards" if row["status"] == "partly done" else ""
        cells.append(
            (row["stage"], row["verb"], ", ".join(row["components"]), row["folder"] or "?", row["status"] + done)
        )
    console.print(table(("stage", "verb", "components", "folder", "status"), cells))
    for row in rows:
        for note in row["notes"]:
            say(console, f"{row['stage']}: {plain(note)}")


def rows(console: Console, documents: "list[Row]") -> None:
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


def descriptions(console: Console, listed: "list[Description]") -> None:
    for description in listed:
        verb = description.component.verb
        say(console, f"[bold]{verb}: {description.component.key}[/]")
        say(console, "\n".join(map(plain, description.text.splitlines())))
        for title, options in (("option", description.options), (f"beside {verb}:", description.beside)):
            if options:
                cells = (
                    tuple(map(plain, (option.name, option.default or "(required)", option.kind, option.note)))
                    for option in options
                )
                console.print(table((title, "default", "type", "meaning"), cells))
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
