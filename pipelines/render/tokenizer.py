"""What `winnow tokenizer` shows: the training of one, and several side by side on a corpus."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.core.wording import counted, size
from pipelines.render.console import plain, say, table
from pipelines.render.tables import Column, counts, megabytes, percents, view

if TYPE_CHECKING:  # slow to import
    from curation.account.tokenizers.tokenizer_inspection import Inspection, TextGroup, Token

GROUPS = 12  # shown of each kind: languages, sources, programming languages
EXAMPLES = 8
TEXT = 40  # characters of a token
KINDS = {"all": "text", "language": "language", "code": "code", "source": "source"}
VOCABULARIES = (
    Column("tokenizer"),
    *counts("vocabulary", "special"),
    Column("unknown %", lambda one: 100 * one.unknown, ".2f"),
    Column("unused %", "unused.share", percents),
    *(Column(title, f"{title}.tokens", ",") for title in ("unreachable", "partial")),
    Column("glitch?", "glitch.tokens", ","),
    Column("top 100 %", lambda one: one.top_shares.get("100"), percents),
    Column("top 1,000 %", lambda one: one.top_shares.get("1000"), percents),
)
EMBEDDINGS = (
    Column("embedding table", "tokenizer"),
    Column("width", form=","),
    Column("parameters M", "parameters", megabytes),
    Column("untied M", "untied_parameters", megabytes),
    Column("bf16 MB", "bytes", megabytes),
    Column("untied MB", "untied_bytes", megabytes),
)


def trained(console: Console, facts: dict[str, Any], record: str) -> None:
    groups = facts["sample"]["groups"]
    drawn = max(sum(group["sample_bytes"] for group in groups), 1)
    columns = (
        Column("group"),
        Column("available", "available_bytes", size),
        Column("wanted", "target_bytes", size),
        Column("drawn", "sample_bytes", size),
        Column("drawn %", lambda group: group["sample_bytes"] / drawn, percents),
        Column("documents", form=","),
    )
    console.print(view(columns, groups))
    stages = ", ".join(group["name"] for group in facts["stages"])
    say(
        console,
        f"{facts['tokenizer']}: {facts['vocabulary']:,} tokens, {facts['file_bytes']:,} bytes, trained on {stages}; "
        f"the record is {record}",
    )
    wanted = facts["options"]["vocab_size"]
    if facts["vocabulary"] < wanted:
        say(console, f"[yellow]warning:[/] the text was enough for only {facts['vocabulary']:,} of {wanted:,} tokens")


def inspections(console: Console, inspected: "Sequence[Inspection]", plot: str | None) -> None:
    names = short_names([inspection.tokenizer for inspection in inspected])
    _lengths(console, inspected, names)
    _vocabularies(console, inspected, names)
    _embeddings(console, inspected, names)
    for inspection, name in zip(inspected, names, strict=True):
        _tokens(console, inspection, name)
    if plot is not None:
        say(console, f"plot: {plain(plot)}")


def short_names(paths: Sequence[str]) -> list[str]:
    """The shortest ends of the paths that differ."""
    parts = [path.split("/") for path in paths]
    length = 1
    while len({tuple(path[-length:]) for path in parts}) < len(set(paths)) and length < max(map(len, parts)):
        length += 1
    return ["/".join(path[-length:]) for path in parts]


def _lengths(console: Console, inspected: "Sequence[Inspection]", names: Sequence[str]) -> None:
    many = len(inspected) > 1
    heads = [
        "tokens/word",
        "bytes/token",
        *([] if many else ["chars/token"]),
        *(["tokens ×"] if inspected[0].against else []),
    ]
    columns = [f" {plain(name)}\n{head}" if many else f" {head}" for name in names for head in heads]
    lengths = table(("", " documents", " text", *columns), ())
    rows = [(inspection.kind, inspection.name) for inspection in (inspected[0].total, *inspected[0].groups)]
    for kind in KINDS:
        chosen = [key for key in rows if key[0] == kind]
        for key in chosen[:GROUPS]:
            groups = [inspection.group(*key) for inspection in inspected]
            label = key[1] if kind in ("all", "code") else f"{KINDS[kind]} {key[1]}"
            cells = [cell for group in groups for cell in _cells(group, many)]
            lengths.add_row(plain(label), f"{groups[0].documents:,}", size(groups[0].bytes), *cells)
        if len(chosen) > GROUPS:
            lengths.add_row(f"[dim]{len(chosen) - GROUPS} more, see --json[/]")
        lengths.add_section()
    console.print(lengths)
    if inspected[0].against:
        say(console, f"tokens ×: ratio to the tokens of {plain(inspected[0].against)}")


def _cells(group: "TextGroup", many: bool) -> list[str]:
    shown = [f"{group.tokens_per_word:.2f}", f"{group.bytes_per_token:.2f}"]
    if not many:
        shown.append(f"{group.characters_per_token:.2f}")
    return shown + ([f"{group.relative_tokens:.3f}"] if group.relative_tokens is not None else [])


def _vocabularies(console: Console, inspected: "Sequence[Inspection]", names: Sequence[str]) -> None:
    rows = (dataclasses.replace(one, tokenizer=name) for one, name in zip(inspected, names, strict=True))
    console.print(view(VOCABULARIES, rows))
    say(
        console,
        "unknown %: share of this sample's tokens that stand for text it cannot spell. unused: not in this sample. "
        "unreachable: even their own text gives other tokens. partial: bytes that are not whole characters. glitch?: "
        "the other unused tokens, which a text may hold although no model has learnt them from this corpus.",
    )


def _embeddings(console: Console, inspected: "Sequence[Inspection]", names: Sequence[str]) -> None:
    if not inspected[0].embeddings:
        return
    rows = [
        {"tokenizer": name, **vars(row)}
        for inspection, name in zip(inspected, names, strict=True)
        for row in inspection.embeddings
    ]
    console.print(view(EMBEDDINGS, rows))


def _tokens(console: Console, inspection: "Inspection", name: str) -> None:
    say(console, f"[bold]{plain(name)}[/]")
    _line(console, "most frequent", inspection.top)
    _line(console, "longest", inspection.longest)
    _line(console, "longest used", inspection.longest_used)
    for title, kind in (
        ("unreachable", inspection.unreachable),
        ("partial", inspection.partial),
        ("glitch?", inspection.glitch),
    ):
        if kind.tokens:
            _line(console, f"{title} ({counted(kind.tokens, 'token')})", kind.examples)


def _line(console: Console, title: str, tokens: "Sequence[Token]") -> None:
    shown = "  ".join(_shown(token) for token in tokens[:EXAMPLES])
    say(console, f"  {title}: {shown}")


def _shown(token: "Token") -> str:
    text = "".join(char if char.isprintable() else repr(char)[1:-1] for char in token.text)
    text = text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"
    return f"[cyan]{plain(text.replace(' ', '␣'))}[/] {token.count:,}"
