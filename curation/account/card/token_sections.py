"""The section on tokens: tokenizers, packed rows by source and split, and what each phase of the mixture takes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from curation.account.card.facts import Card
from curation.account.card.text import code, table
from curation.account.card.tokens import PackedSplit, Packing, TokenizerFacts
from curation.account.mixture import MixLine, Mixture, sum_of_lines
from curation.core.wording import count, per, percent, size

COUNTS = ("rows", "tokens", "documents", "utf8_bytes", "padding", "cut")
SHOWN = 15  # sub-sources of a pack, or of a phase
Counted = TypeVar("Counted", PackedSplit, MixLine)
TOKENS = "## Tokens\n\n{facts}\n\n{tables}"
MIXTURE = (
    "### Mixture\n\nTraining sees {tokens} tokens, in an order drawn with seed {seed}. Only tokens that a model\n"
    "predicts count: not padding, and not the first token of a row. Epochs: how often rows are seen.\n\n"
    "{table}"
)
METHODS = {
    "concat": "one stream of tokens, cut every {row} tokens",
    "best_fit": "whole documents fitted into rows of {row} tokens; only documents longer than a row are cut",
    "one_per_row": "one document per row of {row} tokens; longer ones continue in further rows",
}
BY_SUB_SOURCE = "By sub-source:"
LARGEST = "By sub-source, the largest (`winnow card --json` has all):"


def tokens(card: Card) -> dict[str, str]:
    """The field `tokens`: tokenizers, packed rows and mixture; empty if the run has no tokenizer."""
    if not card.tokenizers:
        return {"tokens": ""}
    facts = [*map(_tokenizer, card.tokenizers), *map(_method, card.packings)]
    tables = [_packed(packing) for packing in card.packings]
    if card.mixture is not None:
        total = sum(line.tokens for line in card.mixture.lines)
        lines = _mixed(card.mixture)
        tables.append(MIXTURE.format(tokens=count(total), seed=card.mixture.seed, table=lines))
    return {"tokens": TOKENS.format(facts="\n".join(facts), tables="\n\n".join(tables)).rstrip("\n")}


def _tokenizer(facts: TokenizerFacts) -> str:
    """One line: its kind, its training text and its hash."""
    ids = f" with {count(facts.vocabulary)} ids" if facts.vocabulary else ""
    documents = "its own text" if facts.documents is None else f"{count(facts.documents)} of its documents"
    text = f", {size(facts.text_bytes)}" if facts.text_bytes is not None else ""
    origin = f"learnt in this run from {documents}{text}" if facts.fitted is not None else "given to the run"
    file = f" in {code(facts.file)}" if facts.file else ""
    return f"- tokenizer: {facts.kind}{ids}, {origin}{file}; SHA-256 {code(facts.sha256)}"


def _method(packing: Packing) -> str:
    """One line on how documents became rows."""
    words = METHODS.get(packing.method, packing.method).format(row=f"{packing.row_tokens:,}")
    by = f", by {code(str(packing.split_by['column']))}" if packing.split_by else ""
    files = f"{packing.dtype}, {packing.files:,} files, {size(packing.file_bytes)}"
    return f"- {code(packing.stage)}: {words}{by}; {files}"


def _packed(packing: Packing) -> str:
    """Rows by source and split, then the largest sub-sources."""
    splits = [split for split in packing.splits if split.documents]
    tables = [_splits(packing, _largest(splits, _sum_of_splits))]
    if any("/" in split.source for split in splits):
        by_source = _by_source(splits, lambda split: split.split, _sum_of_splits)
        tables = [_splits(packing, by_source), LARGEST if len(splits) > SHOWN else BY_SUB_SOURCE, *tables]
    return "\n\n".join(tables)


def _splits(packing: Packing, splits: Sequence[PackedSplit]) -> str:
    columns = ("source", "split", " documents", " tokens", " bytes per token", " rows", " padding", " cut documents")
    rows = (
        (
            code(split.source),
            split.split,
            *map(count, (split.documents, split.tokens)),
            per(split.utf8_bytes, split.tokens),
            count(split.rows),
            percent(split.padding, split.rows * packing.row_tokens),
            count(split.cut),
        )
        for split in splits
    )
    return table(columns, rows)


def _mixed(mixture: Mixture) -> str:
    """What each phase takes from each source, then the largest sub-sources."""
    phases = [list(lines) for _, lines in groupby(mixture.lines, key=lambda line: line.phase)]
    tables = [_lines([line for lines in phases for line in _largest(lines, sum_of_lines)])]
    if any("/" in line.source for line in mixture.lines):
        by_source = _by_source(mixture.lines, lambda line: line.phase, sum_of_lines)
        tables = [_lines(by_source), LARGEST if max(map(len, phases)) > SHOWN else BY_SUB_SOURCE, *tables]
    others = [f"- with packed rows of another run: {code(pack)}" for pack in mixture.other_runs]
    return "\n\n".join([*tables, *(["\n".join(others)] if others else [])])


def _lines(lines: Sequence[MixLine]) -> str:
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
    return table(columns, rows)


def _sum_of_splits(name: str, own: Sequence[PackedSplit]) -> PackedSplit:
    names = {split.split for split in own}
    counts = {field: sum(getattr(split, field) for split in own) for field in COUNTS}
    return PackedSplit(name, names.pop() if len(names) == 1 else "both", **counts)


def _largest(lines: Sequence[Counted], sum_of: Callable[[str, Sequence[Counted]], Counted]) -> list[Counted]:
    """The SHOWN lines with most tokens, in their order, then the others as one line."""
    if len(lines) <= SHOWN:
        return list(lines)
    least = sorted((line.tokens for line in lines), reverse=True)[SHOWN - 1]
    largest = [line for line in lines if line.tokens >= least][:SHOWN]
    others = [line for line in lines if line not in largest]
    return largest + [sum_of(f"{len(others):,} others", others)]  # noqa: RUF005 - mypy cannot follow unpacking


def _by_source(
    lines: Iterable[Counted], kind: Callable[[Counted], str], sum_of: Callable[[str, Sequence[Counted]], Counted]
) -> list[Counted]:
    """Sums over the sub-sources of each source (its name up to the first "/"), by kind."""
    grouped = defaultdict[tuple[str, str], list[Counted]](list)
    for line in lines:
        grouped[kind(line), line.source.partition("/")[0]].append(line)
    return [sum_of(source, own) for (_, source), own in grouped.items()]
