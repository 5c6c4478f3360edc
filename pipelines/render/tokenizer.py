"""Shows tokenizers: what one was learnt from, and for several side by side what they make of a corpus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.account.card.text import counted, size
from pipelines.render.console import plain, say, table
from pipelines.render.tables import megabytes

if TYPE_CHECKING:  # what these are made of takes longer to import than a command line should
    from curation.account.tokenizers.figures import Group, Inspection, Token

GROUPS = 12  # languages, sources and programming languages that are shown, each
EXAMPLES = 8
TEXT = 40  # characters of a token
KINDS = {"all": "text", "language": "language", "code": "code", "source": "source"}


def trained(console: Console, found: dict[str, Any], record: str) -> None:
    """A row per group of the sample, then the result."""
    groups = found["sample"]["groups"]
    whole = max(sum(one["sample_bytes"] for one in groups), 1)
    rows = (
        (
            plain(one["group"]),
            *(size(one[name]) for name in ("available_bytes", "target_bytes", "sample_bytes")),
            f"{100 * one['sample_bytes'] / whole:.1f}",
            f"{one['documents']:,}",
        )
        for one in groups
    )
    console.print(table(("group", " available", " wanted", " drawn", " drawn %", " documents"), rows))
    stages = ", ".join(one["name"] for one in found["stages"])
    say(
        console,
        f"{found['tokenizer']}: {found['vocabulary']:,} tokens, {found['file_bytes']:,} bytes, learnt from {stages}; "
        f"the record is {record}",
    )
    asked = found["options"]["vocab_size"]
    if found["vocabulary"] < asked:
        say(console, f"[yellow]warning:[/] the text gave {found['vocabulary']:,} of {asked:,} tokens")


def inspections(console: Console, found: "Sequence[Inspection]", plot: str | None) -> None:
    """A table over all of them by group, then what the vocabularies waste and weigh, then each one's tokens."""
    names = short_names([one.tokenizer for one in found])
    _lengths(console, found, names)
    _vocabularies(console, found, names)
    _embeddings(console, found, names)
    for one, name in zip(found, names, strict=True):
        _tokens(console, one, name)
    if plot is not None:
        say(console, f"plot: {plain(plot)}")


def short_names(paths: Sequence[str]) -> list[str]:
    """The last parts of the paths, as many as tell them apart."""
    parts = [path.split("/") for path in paths]
    length = 1
    while len({tuple(one[-length:]) for one in parts}) < len(set(paths)) and length < max(map(len, parts)):
        length += 1
    return ["/".join(one[-length:]) for one in parts]


def _lengths(console: Console, found: "Sequence[Inspection]", names: Sequence[str]) -> None:
    """Fertility and bytes per token of each group, those with the most text first."""
    many = len(found) > 1
    heads = [
        "tokens/word",
        "bytes/token",
        *([] if many else ["chars/token"]),
        *(["tokens ×"] if found[0].against else []),
    ]
    columns = [f" {plain(name)}\n{head}" if many else f" {head}" for name in names for head in heads]
    lengths = table(("", " documents", " text", *columns), ())
    rows = [(one.kind, one.name) for one in (found[0].total, *found[0].groups)]
    for kind in KINDS:
        chosen = [key for key in rows if key[0] == kind]
        for key in chosen[:GROUPS]:
            groups = [one.group(*key) for one in found]
            label = key[1] if kind in ("all", "code") else f"{KINDS[kind]} {key[1]}"
            cells = [cell for group in groups for cell in _cells(group, many)]
            lengths.add_row(plain(label), f"{groups[0].documents:,}", size(groups[0].bytes), *cells)
        if len(chosen) > GROUPS:
            lengths.add_row(f"[dim]{len(chosen) - GROUPS} more, see --json[/]")
        lengths.add_section()
    console.print(lengths)
    if found[0].against:
        say(console, f"tokens ×: tokens by those of {plain(found[0].against)}")


def _cells(group: "Group", many: bool) -> list[str]:
    shown = [f"{group.tokens_per_word:.2f}", f"{group.bytes_per_token:.2f}"]
    if not many:
        shown.append(f"{group.characters_per_token:.2f}")
    return shown + ([f"{group.relative_tokens:.3f}"] if group.relative_tokens is not None else [])


def _vocabularies(console: Console, found: "Sequence[Inspection]", names: Sequence[str]) -> None:
    heads = (" vocabulary", " special", " unknown %", " unused %", " unreachable", " partial", " glitch?")
    rows = (
        (
            plain(name),
            f"{one.vocabulary:,}",
            f"{one.special:,}",
            f"{100 * one.unknown:.2f}",
            f"{100 * one.unused.share:.1f}",
            *(f"{kind.tokens:,}" for kind in (one.unreachable, one.partial, one.glitch)),
            *(f"{100 * one.top_shares[n]:.1f}" if n in one.top_shares else "" for n in ("100", "1000")),
        )
        for one, name in zip(found, names, strict=True)
    )
    console.print(table(("tokenizer", *heads, " top 100 %", " top 1,000 %"), rows))
    say(
        console,
        "unknown %: of the tokens made of this sample, for text that cannot be spelt. unused: never made of it. "
        "unreachable: not made of their own text either, such as a byte beside its character. partial: bytes that "
        "are no whole characters. glitch?: the other unused ones, which a text may hold that the model has not learnt "
        "from.",
    )


def _embeddings(console: Console, found: "Sequence[Inspection]", names: Sequence[str]) -> None:
    if not found[0].embeddings:
        return
    rows = (
        (
            plain(name),
            f"{row.width:,}",
            *map(megabytes, (row.parameters, row.untied_parameters, row.bytes, row.untied_bytes)),
        )
        for one, name in zip(found, names, strict=True)
        for row in one.embeddings
    )
    columns = ("embedding table", " width", " parameters M", " untied M", " bf16 MB", " untied MB")
    console.print(table(columns, rows))


def _tokens(console: Console, one: "Inspection", name: str) -> None:
    say(console, f"[bold]{plain(name)}[/]")
    _line(console, "most frequent", one.top)
    _line(console, "longest", one.longest)
    _line(console, "longest that are used", one.longest_used)
    for title, kind in (("unreachable", one.unreachable), ("partial", one.partial), ("glitch?", one.glitch)):
        if kind.tokens:
            _line(console, f"{title} ({counted(kind.tokens, 'token')})", kind.examples)


def _line(console: Console, title: str, tokens: "Sequence[Token]") -> None:
    shown = "  ".join(_shown(token) for token in tokens[:EXAMPLES])
    say(console, f"  {title}: {shown}")


def _shown(token: "Token") -> str:
    text = "".join(char if char.isprintable() else repr(char)[1:-1] for char in token.text)
    text = text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"
    return f"[cyan]{plain(text.replace(' ', '␣'))}[/] {token.count:,}"
