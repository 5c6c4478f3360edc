"""Shows tokenizers: what one was learnt from, and for several side by side what they make of a corpus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Column, Table

from curation.account.card.text import counted, size
from pipelines.render.tables import megabytes, plain

if TYPE_CHECKING:  # what these are made of takes longer to import than a command line should
    from curation.account.tokenizers.figures import Group, Inspection, Listed, Token

GROUPS = 12  # languages, sources and programming languages that are shown, each
EXAMPLES = 8
TEXT = 40  # characters of a token
KINDS = {"all": "text", "language": "language", "code": "code", "source": "source"}


def trained(console: Console, found: dict[str, Any], record: str) -> None:
    """A row per group of the sample, then the result."""
    table = Table("group", *map(_right, _SAMPLED))
    for one in found["sample"]["groups"]:
        share = f"{100 * one['sample_bytes'] / max(sum(g['sample_bytes'] for g in found['sample']['groups']), 1):.1f}"
        sizes = [size(one[name]) for name in ("available_bytes", "target_bytes", "sample_bytes")]
        table.add_row(plain(one["group"]), *sizes, share, f"{one['documents']:,}")
    console.print(table)
    stages = ", ".join(one["name"] for one in found["stages"])
    console.print(
        f"{found['tokenizer']}: {found['vocabulary']:,} tokens, {found['file_bytes']:,} bytes, learnt from {stages}; "
        f"the record is {record}",
        highlight=False,
        soft_wrap=True,
    )
    asked = found["options"]["vocab_size"]
    if found["vocabulary"] < asked:
        console.print(f"[yellow]warning:[/] the text gave {found['vocabulary']:,} of {asked:,} tokens", highlight=False)


_SAMPLED = ("available", "wanted", "drawn", "drawn %", "documents")


def _right(head: str) -> Column:
    """Of numbers. On a narrow terminal the head is broken, not cut off."""
    return Column(head, justify="right", overflow="fold")


def inspections(console: Console, found: "Sequence[Inspection]", plot: str | None) -> None:
    """A table over all of them by group, then what the vocabularies waste and weigh, then each one's tokens."""
    names = short_names([one.tokenizer for one in found])
    _lengths(console, found, names)
    _vocabularies(console, found, names)
    _embeddings(console, found, names)
    for one, name in zip(found, names, strict=True):
        _tokens(console, one, name)
    if plot is not None:
        console.print(f"plot: {plain(plot)}", highlight=False, soft_wrap=True)


def short_names(paths: Sequence[str]) -> list[str]:
    """The last parts of the paths, as many as tell them apart."""
    parts = [path.split("/") for path in paths]
    length = 1
    while len({tuple(one[-length:]) for one in parts}) < len(set(paths)) and length < max(map(len, parts)):
        length += 1
    return ["/".join(one[-length:]) for one in parts]


def _lengths(console: Console, found: "Sequence[Inspection]", names: Sequence[str]) -> None:
    """Fertility and bytes per token of each group, those with the most text first."""
    table = Table(Column("", overflow="fold"), _right("documents"), _right("text"))
    many = len(found) > 1
    for name in names:
        for head in ("tokens/word", "bytes/token", *(["chars/token"] if not many else [])):
            table.add_column(f"{plain(name)}\n{head}" if many else head, justify="right", overflow="fold")
        if found[0].against:
            table.add_column(f"{plain(name)}\ntokens ×" if many else "tokens ×", justify="right", overflow="fold")
    rows = [(one.kind, one.name) for one in (found[0].total, *found[0].groups)]
    for kind in KINDS:
        chosen = [key for key in rows if key[0] == kind]
        for key in chosen[:GROUPS]:
            groups = [_find(one, key) for one in found]
            label = key[1] if kind in ("all", "code") else f"{KINDS[kind]} {key[1]}"
            cells = [cell for group in groups for cell in _cells(group, many)]
            table.add_row(plain(label), f"{groups[0].documents:,}", size(groups[0].bytes), *cells)
        if len(chosen) > GROUPS:
            table.add_row(f"[dim]{len(chosen) - GROUPS} more, see --json[/]")
        table.add_section()
    console.print(table)
    if found[0].against:
        console.print(f"tokens ×: tokens by those of {plain(found[0].against)}", highlight=False, soft_wrap=True)


def _find(one: "Inspection", key: tuple[str, str]) -> "Group":
    return next(group for group in (one.total, *one.groups) if (group.kind, group.name) == key)


def _cells(group: "Group", many: bool) -> list[str]:
    shown = [f"{group.tokens_per_word:.2f}", f"{group.bytes_per_token:.2f}"]
    if not many:
        shown.append(f"{group.characters_per_token:.2f}")
    return shown + ([f"{group.relative_tokens:.3f}"] if group.relative_tokens is not None else [])


def _vocabularies(console: Console, found: "Sequence[Inspection]", names: Sequence[str]) -> None:
    heads = ("vocabulary", "special", "unknown %", "unused %", "unreachable", "partial", "glitch?")
    table = Table(Column("tokenizer", overflow="fold"), *map(_right, (*heads, "top 100 %", "top 1,000 %")))
    for one, name in zip(found, names, strict=True):
        table.add_row(
            plain(name),
            f"{one.vocabulary:,}",
            f"{one.special:,}",
            f"{100 * one.unknown:.2f}",
            f"{100 * one.unused.share:.1f}",
            *(f"{kind.tokens:,}" for kind in (one.unreachable, one.partial, one.glitch)),
            *(f"{100 * one.top_shares[n]:.1f}" if n in one.top_shares else "" for n in ("100", "1000")),
        )
    console.print(table)
    console.print(
        "unknown %: of the tokens made of this sample, for text that cannot be spelt. unused: never made of it. "
        "unreachable: not made of their own text either, such as a byte beside its character. partial: bytes that "
        "are no whole characters. glitch?: the other unused ones, which a text may hold that the model has not learnt "
        "from.",
        highlight=False,
    )


def _embeddings(console: Console, found: "Sequence[Inspection]", names: Sequence[str]) -> None:
    if not found[0].embeddings:
        return
    heads = ("width", "parameters M", "untied M", "bf16 MB", "untied MB")
    table = Table(Column("embedding table", overflow="fold"), *map(_right, heads))
    for one, name in zip(found, names, strict=True):
        for row in one.embeddings:
            counts = (row.parameters, row.untied_parameters, row.bytes, row.untied_bytes)
            table.add_row(plain(name), f"{row.width:,}", *map(megabytes, counts))
    console.print(table)


def _tokens(console: Console, one: "Inspection", name: str) -> None:
    console.print(f"[bold]{plain(name)}[/]", highlight=False, soft_wrap=True)
    _line(console, "most frequent", one.top)
    _line(console, "longest", one.longest)
    _line(console, "longest that are used", one.longest_used)
    for title, kind in (("unreachable", one.unreachable), ("partial", one.partial), ("glitch?", one.glitch)):
        _listed(console, title, kind)


def _listed(console: Console, title: str, kind: "Listed") -> None:
    if kind.tokens:
        _line(console, f"{title} ({counted(kind.tokens, 'token')})", kind.examples)


def _line(console: Console, title: str, tokens: "Sequence[Token]") -> None:
    shown = "  ".join(_shown(token) for token in tokens[:EXAMPLES])
    console.print(f"  {title}: {shown}", highlight=False, soft_wrap=True)


def _shown(token: "Token") -> str:
    text = "".join(char if char.isprintable() else repr(char)[1:-1] for char in token.text)
    text = text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"
    return f"[cyan]{plain(text.replace(' ', '␣'))}[/] {token.count:,}"
