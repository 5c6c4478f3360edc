"""The sections of a card on how its data was made: documents chosen, tokens packed and mixed, recipe and hashes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

import yaml

from curation.account.card.facts import Card
from curation.account.card.text import code, count, per, percent, prose, size, table
from curation.account.card.tokens import PackedSplit, Packing
from curation.account.mixture import MixLine, Mixture
from curation.core.verbs import VERBS

GUARDS = ("expect_kept", "max_errors", "max_removed", "local_links")
SHOWN = 15  # sub-sources of a pack, or of a phase
Counted = TypeVar("Counted", PackedSplit, MixLine)
METHODS = {
    "concat": "one stream of tokens, cut every {row} tokens",
    "best_fit": "whole documents fitted into rows of {row} tokens; only documents longer than a row are cut",
    "one_per_row": "one document a row of {row} tokens; longer ones go on in further rows",
}


def chosen(card: Card) -> Iterator[str]:
    """Every stage of documents, then each reason with its limit, then edits."""
    yield "## How documents were chosen"
    yield ""
    stages = [one for one in card.stages if one.has_documents]
    columns = ("stage", "what", " in", " dropped", " kept", " share kept")
    rows = (
        (
            code(one.name),
            f"{one.verb}: {', '.join(map(code, one.parts))}",
            *map(count, (one.rows, one.rows - one.kept, one.kept)),
            percent(one.kept, one.rows),
        )
        for one in stages
    )
    yield from table(columns, rows)
    dropped = [
        (code(stage.name), code(one.reason), count(one.documents), prose(one.limit))
        for stage in stages
        for one in stage.dropped
    ]
    if dropped:
        yield "A document is dropped for the first limit that it breaks:"
        yield ""
        yield from table(("stage", "reason", " documents", "kept are those with"), dropped)
    edits = [(code(one.name), code(name), count(number)) for one in stages for name, number in one.edits.items()]
    if edits:
        yield "Texts were edited:"
        yield ""
        yield from table(("stage", "edit", " count"), edits)


def tokens(card: Card) -> Iterator[str]:
    """Tokenizer, packed rows, mixture; nothing where the run has no tokens."""
    if not card.tokenizers:
        return
    yield "## Tokens"
    yield ""
    for one in card.tokenizers:
        ids = f" with {count(one.vocabulary)} ids" if one.vocabulary else ""
        from_what = "its own text" if one.documents is None else f"{count(one.documents)} of its documents"
        of_size = f", {size(one.text_bytes)}" if one.text_bytes is not None else ""
        made = f"learnt in this run from {from_what}{of_size}" if one.fitted is not None else "given to the run"
        where = f" in {code(one.file)}" if one.file else ""
        yield f"- tokenizer: {one.kind}{ids}, {made}{where}; SHA-256 {code(one.sha256)}"
    for packing in card.packings:
        yield f"- {code(packing.stage)}: {_method(packing)}; {packing.dtype}, {packing.files:,} files,"
        yield f"  {size(packing.file_bytes)}"
    yield ""
    for packing in card.packings:
        yield from _packed(packing)
    if card.mixture is not None:
        yield from _mixture(card.mixture)


def _packed(packing: Packing) -> Iterator[str]:
    """Rows by source and split, then of sub-sources the largest."""
    splits = [one for one in packing.splits if one.documents]
    if any("/" in one.source for one in splits):
        yield from _splits(packing, _by_source(splits, lambda one: one.split, _split_of))
        yield from _sub_sources(len(splits))
    yield from _splits(packing, _largest(splits, _split_of))


def _splits(packing: Packing, splits: Sequence[PackedSplit]) -> Iterator[str]:
    columns = ("source", "split", " documents", " tokens", " bytes per token", " rows", " padding", " cut documents")
    rows = (
        (
            code(one.source),
            one.split,
            *map(count, (one.documents, one.tokens)),
            per(one.utf8_bytes, one.tokens),
            count(one.rows),
            percent(one.padding, one.rows * packing.row_tokens) if one.padding is not None else "–",
            count(one.cut),
        )
        for one in splits
    )
    yield from table(columns, rows)


def _sub_sources(number: int) -> Iterator[str]:
    yield "By sub-source:" if number <= SHOWN else "By sub-source, the largest (`winnow card --json` has all):"
    yield ""


def _split_of(name: str, own: Sequence[PackedSplit]) -> PackedSplit:
    """The sums."""
    splits = {one.split for one in own}
    rows, tokens = sum(one.rows for one in own), sum(one.tokens for one in own)
    documents, utf8_bytes = sum(one.documents for one in own), sum(one.utf8_bytes for one in own)
    padding, cut = _total(one.padding for one in own), _total(one.cut for one in own)
    split = splits.pop() if len(splits) == 1 else "both"
    return PackedSplit(name, split, rows, tokens, documents, utf8_bytes, padding, cut)


def _total(given: Iterable[int | None]) -> int | None:
    numbers = list(given)
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _line_of(name: str, own: Sequence[MixLine]) -> MixLine:
    """The sums, of one phase."""
    rows, available = sum(line.rows for line in own), sum(line.available_rows for line in own)
    weight, target = sum(line.weight for line in own), sum(line.target_tokens for line in own)
    tokens, capped = sum(line.tokens for line in own), all(line.capped for line in own)
    return MixLine(own[0].phase, name, weight, target, tokens, rows, available, rows / max(available, 1), capped)


def _largest(found: Sequence[Counted], summed: Callable[[str, Sequence[Counted]], Counted]) -> list[Counted]:
    """At most SHOWN, those of most tokens in their order, and after them the others in one."""
    if len(found) <= SHOWN:
        return list(found)
    least = sorted((one.tokens for one in found), reverse=True)[SHOWN - 1]
    shown = [one for one in found if one.tokens >= least][:SHOWN]
    rest = [one for one in found if one not in shown]
    shown.append(summed(f"{len(rest):,} others", rest))
    return shown


def _by_source(
    found: Sequence[Counted], kind: Callable[[Counted], str], summed: Callable[[str, Sequence[Counted]], Counted]
) -> list[Counted]:
    """The sums of all of one kind whose names begin alike, up to a "/"."""
    grouped: dict[tuple[str, str], list[Counted]] = {}
    for one in found:
        grouped.setdefault((kind(one), one.source.partition("/")[0]), []).append(one)
    return [summed(source, own) for (_, source), own in grouped.items()]


def _method(packing: Packing) -> str:
    words = METHODS.get(packing.method, packing.method).format(row=f"{packing.row_tokens:,}")
    return f"{words}, by {code(str(packing.split_by['column']))}" if packing.split_by else words


def _mixture(mixture: Mixture) -> Iterator[str]:
    yield "### Mixture"
    yield ""
    total = sum(line.tokens for line in mixture.lines)
    yield f"What training sees: {count(total)} tokens, in an order drawn with seed {mixture.seed}. Counted are those"
    yield "that a model is to predict: not padding, and of each row not the first. Epochs: how often rows are seen."
    yield ""
    phases = [list(lines) for _, lines in groupby(mixture.lines, key=lambda line: line.phase)]
    if any("/" in line.source for line in mixture.lines):
        yield from _lines(_by_source(mixture.lines, lambda line: line.phase, _line_of))
        yield from _sub_sources(max(map(len, phases)))
    yield from _lines([line for lines in phases for line in _largest(lines, _line_of)])
    for pack in mixture.other_runs:
        yield f"- with packed rows of another run: {code(pack)}"
    if mixture.other_runs:
        yield ""


def taken_down(card: Card) -> Iterator[str]:
    """A line per takedown; nothing where there was none."""
    if card.takedowns:
        yield "## Taken down"
        yield ""
        yield "Texts and tokens of these documents were removed from every stage; their rows stay, empty."
        yield ""
        rows = ((one.day, *map(count, (one.documents, one.rows, one.files))) for one in card.takedowns)
        yield from table(("day", " documents", " rows changed", " files changed"), rows)


def _lines(lines: Sequence[MixLine]) -> Iterator[str]:
    phased = len({line.phase for line in lines}) > 1
    columns = (*(("phase",) if phased else ()), "source", " weight", " target", " tokens", " rows", " epochs")
    rows = (
        (
            *((code(line.phase),) if phased else ()),
            code(line.source),
            f"{100 * line.weight:.2f} %",
            count(round(line.target_tokens)),
            count(line.tokens) + (" (all there is)" if line.capped else ""),
            count(line.rows),
            f"{line.epochs:.3f}",
        )
        for line in lines
    )
    yield from table(columns, rows)


def made(card: Card) -> Iterator[str]:
    """Versions, the recipe with every default, and what each stage and file is known by."""
    yield "## How it was made"
    yield ""
    versions = ", ".join(f"{name} {version}" for name, version in sorted(card.versions.items()))
    yield f"With {prose(versions)}. The recipe {code(card.recipe_name)} with every option that decides the data:"
    yield ""
    recipe = yaml.safe_dump(_recipe(card), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    fence = "`" * max(3, 1 + max((len(list(run)) for mark, run in groupby(recipe) if mark == "`"), default=0))
    yield f"{fence}yaml"
    yield recipe.rstrip("\n")
    yield fence
    yield ""
    yield "## Hashes"
    yield ""
    yield "A stage's address is the SHA-256 of all that decides its bytes: options, versions of rules, assets, inputs,"
    yield "and the addresses of the stages before it."
    yield ""
    rows = ((code(one.name), code(one.folder), code(one.address)) for one in card.stages)
    yield from table(("stage", "folder", "address"), rows)
    for one in card.inputs:
        yield f"- listing of the {count(one.files)} input files of {code(one.source)}: {code(one.listing)}"
    for packing in card.packings:
        yield f"- the {packing.files:,} token files of {code(packing.stage)}: {code(packing.digest)}, the SHA-256 of"
        yield "  a line `<BLAKE2b-256> <name>` for each, in order of names, as the stage's `_manifest.json` has them"


def _recipe(card: Card) -> dict[str, Any]:
    """In the order in which people write one, and without the guards of stages, which decide nothing."""
    chains = {source: [_stage(item) for item in chain] for source, chain in card.recipe["sources"].items()}
    head = {name: card.recipe[name] for name in ("version", "name", "buckets", "shards")}
    return {**head, "sources": chains, "joined": [_stage(item) for item in card.recipe["joined"]]}


def _stage(item: dict[str, Any]) -> dict[str, Any]:
    """The verb first."""
    kept = {name: value for name, value in item.items() if name not in GUARDS and (name != "name" or value)}
    verbs = [name for name in kept if name in VERBS]
    return {name: kept[name] for name in (*verbs, *(name for name in kept if name not in verbs))}
