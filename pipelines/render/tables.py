"""Tables and progress bars of the command line. Draws only; computes no figures."""

import shlex
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.account.card.text import counted
from curation.core.verbs import READ, REWRITE
from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.account.funnel import Funnel, StageLine
    from curation.account.packing import Packed
    from curation.account.show import Row
    from pipelines.component_docs import Description, Listing

TOP_REASONS = 5
TOP_PACKS = 12
TOP_LIMITS = 3  # shown of the limits that never fired
# Meaning of a verb's counts, by the beginning of their names.
COUNTED = {READ: {"skipped.": "passed over", "lenient.": "read leniently"}, REWRITE: {"": "edited"}}


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f}"


def funnel(console: Console, result: "Funnel") -> None:
    title = f"{plain(result.run)}{'' if result.complete else ' (not finished)'}"
    columns = ("stage", " in", " dropped", " kept", " kept %", " text MB", " tokens", " seconds")
    cells = map(_funnel_cells, result.stages)
    console.print(table(columns, cells, whole_numbers=True, title=title, title_justify="left"))
    for line in result.stages:
        for reason, count in _top(line.dropped):
            say(console, f"{count:>10,}  {line.name}: {plain(reason)}")
    for line in result.stages:
        for prefix, what in COUNTED.get(line.verb, {}).items():
            counts = {name: count for name, count in line.counts.items() if name.startswith(prefix)}
            if counts:
                shown = ", ".join(f"{plain(name)} {count:,}" for name, count in _top(counts, 8))
                say(console, f"{line.name} {what}: {shown}")
        if line.parsers:
            shown = ", ".join(f"{plain(name)} {count:,}" for name, count in line.parsers.items())
            say(console, f"{line.name} pages by their last parser: {shown}")
    for line in result.stages:
        for warning in (*line.warnings, *_never_fired(line)):
            say(console, f"[yellow]warning:[/] {line.name}: {plain(warning)}")
    if result.tokens:
        total = sum(result.tokens.values())
        splits = ", ".join(f"{count:,} {split}" for split, count in result.tokens.items())
        say(console, f"packed tokens: {total:,} ({splits})")
    for pack in result.packs[:TOP_PACKS]:
        say(console, _packed(pack))
    if len(result.packs) > TOP_PACKS:
        console.print(f"… and {counted(len(result.packs) - TOP_PACKS, 'more source')} (--json names them)")
    if result.taken_down:
        documents = counted(result.taken_down, "document")
        say(console, f"taken down: {documents}, still counted by stages and mixes sealed before")
    if not result.takedowns_finished:
        say(console, "[yellow]warning:[/] a takedown was cut off; run the same `winnow takedown` again")


def _packed(pack: "Packed") -> str:
    share = 100 * pack.padding / max(pack.slots, 1)
    return (
        f"{pack.stage} ({pack.method}) {plain(pack.source)}: {counted(pack.rows, 'row')}, {share:.2f} % padding; "
        f"{pack.cut:,} of {counted(pack.documents, 'document')} cut"
    )


def _funnel_cells(line: "StageLine") -> list[str]:
    seconds = f"{line.seconds:.1f}"
    if not line.verb.documents:
        return [line.name, "", "", "", "", "", "", seconds]
    share = f"{100 * line.kept / max(line.rows, 1):.1f}"
    tokens = f"{line.tokens:,}" if line.tokens or line.verb.encodes else ""
    counts = [f"{count:,}" for count in (line.rows, line.rows - line.kept, line.kept)]
    return [line.name, *counts, share, megabytes(line.kept_text_bytes), tokens, seconds]


def _never_fired(line: "StageLine") -> list[str]:
    """One warning for all limits of the stage that never fired."""
    limits = line.never_fired
    if not limits:
        return []
    more = f", … and {len(limits) - TOP_LIMITS} more (--json names them)" if len(limits) > TOP_LIMITS else ""
    return [f"{counted(len(limits), 'limit')} never fired: {', '.join(limits[:TOP_LIMITS])}{more}"]


def _top(counts: dict[str, int], top: int = TOP_REASONS) -> list[tuple[str, int]]:
    """The largest counts, then the sum of the others."""
    shown, rest = list(counts.items())[:top], list(counts.items())[top:]
    return [*shown, *([(f"{len(rest)} others", sum(count for _, count in rest))] if rest else [])]


def whereabouts(console: Console, folder: str) -> None:
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
            shown = ", ".join(f"{n} {v:.3g}" if isinstance(v, float) else f"{n} {v}" for n, v in signals.items())
            say(console, f"  {key}: {plain(shown)}")
        say(console, f"  [dim]{plain(' '.join(row.text.split()))}[/]")
    say(console, counted(len(documents), "row"))


def components(console: Console, listed: "list[Listing]") -> None:
    cells, verb = [], None
    for component in listed:
        sentence = component.sentence + (f" (from {component.package})" if component.package else "")
        name = "" if component.verb is verb else component.verb.name
        cells.append((name, f"[bold]{component.key}[/]", plain(sentence)))
        verb = component.verb
    console.print(table(("verb", "key", "what it does"), cells))
    say(console, "for details: winnow describe KEY")


def descriptions(console: Console, listed: "list[Description]") -> None:
    for description in listed:
        say(console, f"[bold]{description.component.verb}: {description.component.key}[/]")
        say(console, "\n".join(map(plain, description.text.splitlines())))
        cells = (
            tuple(map(plain, (option.name, option.default or "(required)", option.kind, option.note)))
            for option in description.options
        )
        if description.options:
            console.print(table(("option", "default", "type", "meaning"), cells))
        if description.limits:
            console.print("limits by default, by signal:")
        for limit in description.limits:
            say(console, f"  {plain(limit)}")


def training_result(console: Console, result: dict[str, Any], output: str) -> None:
    loss, entropy = result["validation_loss"], result["unigram_entropy"]
    side = "below" if loss <= entropy else "above"
    say(
        console,
        f"trained {result['steps']} steps on {result['tokens']:,} tokens, {result['parameters']:,} parameters: "
        f"validation loss {loss:.3f} nats per token, {100 * abs(1 - loss / entropy):.1f} % {side} the unigram entropy "
        f"{entropy:.3f}; checkpoints and metrics in {plain(output)}",
    )
