"""The tables of `benchmarks.heuristics`."""

from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figures import empty_table

NOTES = """Memory is not the limit: a search for one byte runs at more than half the speed of reading memory. Words and
n-grams run at a small part of it and take most of the time of all four rule sets. The work is per word: find its ends,
hash it, and look up its n-grams of nine sizes in tables."""


def show(figures: dict[str, Any]) -> None:
    console = Console(width=120)
    memory = figures["memory"]
    console.print(_parts(figures))
    console.print(_speeds("what they are made of (variant paper)", figures["passes"], memory["read"]))
    shares = ", ".join(f"{100 * share:.2f} % ({variant})" for variant, share in figures["share_of_memory"].items())
    console.print(
        f"memory, one thread: {memory['read']:,.0f} MB/s read, {memory['copy']:,.0f} MB/s copied; "
        f"together: {shares} of what can be read"
    )
    console.print(NOTES.replace("\n", " "))


def _parts(figures: dict[str, Any]) -> Table:
    title = f"{figures['documents']:,} documents, {figures['megabytes']:.1f} MB, one core"
    peers = figures.get("datatrove", {})
    of_peers = [column for words in peers for column in (f"datatrove, {words}", "times")]
    table = empty_table(title, "part", "MB/s", "documents/s", *of_peers)
    for name, speed in figures["parts"].items():
        cells = [f"{speed:,.1f}", f"{speed * figures['documents'] / figures['megabytes']:,.0f}"]
        variant, _, part = name.partition("/")
        compared = {"with_c4_lines": "together", "together": ""}.get(part, part)
        for words, theirs in peers.items():
            known = variant == "datatrove" and compared in theirs
            ratio = figures["ratios"][words][compared] if known else 0
            cells += [f"{theirs[compared]:.3f}", f"{ratio:,.0f}"] if known else ["", ""]
        table.add_row(name, *cells)
    return table


def _speeds(title: str, speeds: dict[str, float], read: float) -> Table:
    table = empty_table(title, "pass", "MB/s", "ms per MB", "of memory read")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{1e3 / speed:.2f}", f"{100 * speed / read:.1f} %")
    return table
