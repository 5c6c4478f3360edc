"""What `winnow compare` shows: bits per byte by run and kind, and which differences are more than noise."""

from typing import TYPE_CHECKING

from rich.console import Console

from curation.core.wording import counted, size
from pipelines.render.console import plain, say, table
from pipelines.render.tables import Column, view

if TYPE_CHECKING:  # slow to import
    from curation.account.compare.compare import Comparison

MODELS = {"ngram": "n-gram model of order 5", "decoder": "decoder"}
SIZES = (Column("documents", form=","), Column("text", "bytes", size))
RUNS = (
    Column("run", "name"),
    *SIZES,
    Column("tokens", form=","),
    Column("bytes/token", lambda run: run.bytes / run.tokens, ".2f"),
)
KINDS = (
    Column("held out", "name"),
    *SIZES,
    Column("left out: in a run", "in_runs", ","),
    Column("copies", form=","),
    Column("no text", "empty", ","),
)


def comparison(console: Console, compared: "Comparison", plot: str | None) -> None:
    from curation.account.compare.heldout import ALL

    _runs(console, compared)
    kinds = [kind.name for kind in compared.kinds]
    shown = [ALL, *kinds] if len(kinds) > 1 else kinds
    ranked = sorted(compared.runs, key=lambda run: compared.result(run.name, shown[0]).bits_per_byte)
    names = [run.name for run in ranked]
    _levels(console, compared, names, shown)
    _differences(console, compared, names, shown)
    console.print(view(KINDS, compared.kinds))
    _winner(console, compared, names, shown[0])
    if plot is not None:
        say(console, f"plot: {plain(plot)}")


def _runs(console: Console, compared: "Comparison") -> None:
    console.print(view(RUNS, compared.runs))
    say(
        console,
        f"{MODELS[compared.model]}; {compared.tokens:,} training tokens of each run, {counted(compared.seeds, 'draw')};"
        f" one tokenizer of {compared.vocabulary:,} tokens for all",
    )


def _levels(console: Console, compared: "Comparison", names: list[str], kinds: list[str]) -> None:
    rows = []
    for name in names:
        found = [compared.result(name, kind) for kind in kinds]
        rows.append((plain(name), *(f"{one.bits_per_byte:.4f} ±{(one.high - one.low) / 2:.4f}" for one in found)))
    console.print(table(("bits per byte", *(f" {plain(kind)}" for kind in kinds)), rows))


def _differences(console: Console, compared: "Comparison", names: list[str], kinds: list[str]) -> None:
    best, *others = names
    rows = []
    for name in others:
        found = [compared.difference(name, best, kind) for kind in kinds]
        cells = (f"{one.bits_per_byte:+.4f} ±{(one.high - one.low) / 2:.4f}" for one in found)
        marked = (f"[dim]{cell} ≈[/]" if one.within_noise else cell for cell, one in zip(cells, found, strict=True))
        rows.append((plain(name), *marked))
    console.print(table((f"more than {plain(best)}", *(f" {plain(kind)}" for kind in kinds)), rows))
    say(console, "±: half of a 95 % interval over draws and held-out documents; ≈: within noise, the interval holds 0")


def _winner(console: Console, compared: "Comparison", names: list[str], kind: str) -> None:
    best, *others = names
    alike = [name for name in others if compared.difference(name, best, kind).within_noise]
    where = f"bits per byte ({kind})"
    if not alike:
        say(console, f"[bold]{plain(best)}[/] has the least {where}, and by more than noise")
    else:
        say(console, f"[bold]{plain(best)}[/] has the least {where}; within noise of it: {plain(', '.join(alike))}")
