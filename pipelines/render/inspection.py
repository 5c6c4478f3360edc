"""Shows what files are, with their first documents."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from curation.core.wording import counted, listed
from curation.sources.inspection import InspectedFile
from pipelines.draft_sample import extractor_of
from pipelines.render.console import plain, say, table
from pipelines.render.tables import DENSE

FIELDS = 200  # that are shown
CELL = 60  # characters of a text


def inspection(console: Console, files: Sequence[InspectedFile]) -> None:
    """Each file in turn."""
    for file in files:
        say(console, plain(f"{file.path}: {file.form}{_corpus(file)}"))
        say(console, plain(f"{file.sure}: {file.seen}{_others(file)}"))
        for option, what in file.needs.items():
            say(console, plain(f"needs {option}: {what}"))
        if file.published:
            say(console, plain(file.published))
        if file.fields:
            say(console, plain("fields: " + listed((f"{name} ({kind})" for name, kind in file.fields.items()), FIELDS)))
        for name, field in file.missing.items():
            say(console, plain(f"missing: {field}, so that {name} stays empty"))
        columns = ("text", "url", "crawled_at", "declared_language", "licence", "corpus", "drop_reason")
        shown = [name for name in columns if any(row.get(name) is not None for row in file.rows)]
        rows = [[plain(_cell(row.get(name))) for name in shown] for row in file.rows]
        console.print(table(shown, rows, **DENSE) if rows else "no document in what was looked at")
        for name, count in file.records.items():
            say(console, plain(f"{name}: {count:,}"))
        for fault in file.faults:
            say(console, plain(f"at {fault['offset']} of {fault['file']}: {fault['error']}"))
        say(console, plain(file.read))
        if extractor := extractor_of(file.source):
            say(console, f"- extract: {{{extractor}: {{}}}}")


def _corpus(file: InspectedFile) -> str:
    if file.corpus is None:
        return ", of no corpus that is known" if file.fields else ""
    known = "" if file.verified else "; this layout is known from use, not from its publisher"
    return f", fits {file.corpus}{known}"


def _others(file: InspectedFile) -> str:
    return f"; it also fits {listed(file.also, FIELDS)}" if file.also else ""


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {one}" for name, one in value.items() if one is not None)
    text = "" if value is None else str(value)
    return text if len(text) <= CELL else f"{text[:CELL]}… ({counted(len(text), 'character')})"
