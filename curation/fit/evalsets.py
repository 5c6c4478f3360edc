"""Indexes the items of evaluation sets, by which `contamination` finds them in documents. It reads no corpus text.

    - fit:
        evalsets:
          sets:
            gsm8k: {files: gsm8k_test.jsonl.gz, question: question, answer: answer}
            mmlu: {files: mmlu/*.csv, question: question, choices: [A, B, C, D], answer: answer}
    - filter: {contamination: {evalsets: "@evalsets"}}

Files are JSON lines, Parquet or CSV, also .gz and .zst (`curation/models/evalsets/sets.py`). Indexed are the n-grams of
each question, of its answer, across the end of one and the beginning of the other, and of each other choice, in the
normal form of `curation/text/canonical_tokens.py`. Items that have none, mostly because they are shorter, cannot be
found by n-grams of that size: the filter says how many when it begins, and `winnow evalsets report` counts and lists
them. A set of which no item has any is refused before work starts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pyarrow as pa

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Indexes
from curation.core.needs import Needs
from curation.models.evalsets.build import ItemTokens, build
from curation.models.evalsets.index import MAIN
from curation.models.evalsets.sets import EvalSet, first_items, read_items

_MOST_SIZE = 64
_FIRST = 100  # rows of each file: they nearly always have n-grams of every size; all rows are read where they do not


@dataclass(frozen=True, kw_only=True)
class Evalsets(Indexes):
    """The sets by name, and the sizes of n-grams."""

    sets: Annotated[Mapping[str, EvalSet], "name -> where its items are"]
    sizes: Annotated[tuple[int, ...], "tokens: of decon; of palm and llama; of gpt3"] = (5, 8, 13)

    version: ClassVar[int] = 1
    asset: ClassVar[str] = MAIN
    reads: ClassVar[tuple[str, ...]] = ()
    libraries: ClassVar[tuple[str, ...]] = ("duckdb",)

    def __post_init__(self) -> None:
        if not self.sets:
            raise RecipeError("sets is empty; name at least one evaluation set")
        for name in self.sets:
            if not name or "/" in name:
                raise RecipeError(f"sets has the name {name!r}; give a name without a slash, which begins items' ids")
        wrong = [size for size in self.sizes if not 2 <= size <= _MOST_SIZE]
        if wrong or not self.sizes or len(set(self.sizes)) < len(self.sizes):
            raise RecipeError(f"sizes is {list(self.sizes)}; give numbers of tokens from 2 to {_MOST_SIZE}, each once")

    def needs(self) -> Needs:
        """1.4 GB were taken for 70,000 items of 31 sets (November 2026)."""
        return Needs(memory=2 << 30)

    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        return {name: chosen.paths for name, chosen in self.sets.items()}

    def check(self, files: Mapping[str, Sequence[str]]) -> None:
        """Raises InputError for a file that cannot be read, lacks a field or is empty, for a set without an n-gram of
        any of the sizes, and for a size of which no set has an n-gram."""
        found: set[int] = set()
        for name, paths in files.items():
            own = _sizes_of(name, self.sets[name], paths, self.sizes)
            if not own:
                raise InputError(
                    f"evaluation set {name}: no item has {min(self.sizes)} tokens, so none could be found; leave the "
                    "set out, or give smaller sizes"
                )
            found |= own
        missing = sorted(set(self.sizes) - found)
        if missing:
            size = missing[0]
            raise InputError(f"no item has {size} tokens, so nothing could be found by {size}-grams; give other sizes")

    def index(self, files: Mapping[str, Sequence[str]]) -> Mapping[str, bytes]:
        tables = [read_items(name, self.sets[name], paths) for name, paths in files.items()]
        return build(pa.concat_tables(tables).combine_chunks(), self.sizes)


def _sizes_of(name: str, chosen: EvalSet, files: Sequence[str], sizes: Sequence[int]) -> set[int]:
    first = [first_items(name, chosen, file, _FIRST) for file in files]
    found = _sizes_in(pa.concat_tables(first), sizes) if first else set()
    return found if len(found) == len(sizes) else _sizes_in(read_items(name, chosen, files), sizes)


def _sizes_in(items: pa.Table, sizes: Sequence[int]) -> set[int]:
    pieces = ItemTokens.of(items)
    return {size for size in sizes if pieces.tellings(size).any()}
