"""Our side of each pair, in the variant that decides as datatrove does, over a table of texts."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.parity.pairs import Pair
from curation.core import catalog
from curation.core.rules import Rule, broken, first_failure
from curation.core.verbs import FILTER, REWRITE, Verb

BATCH_ROWS = 500
VARIANT = "datatrove"
LISTS = {  # by kind; those of datatrove, as `benchmarks.peers.verdicts.write_lists` writes them
    "domains": "block_listed_domains.txt",
    "urls": "block_listed_url.txt",
    "words": "banned_words.txt",
    "subwords": "banned_subwords.txt",
    "soft_words": "soft_banned_words.txt",
}


@dataclass(frozen=True)
class Judged:
    """Results of one rule set: signals [N], the limit that each document breaks first (null: kept) and, after a
    rewriter, the texts."""

    signals: Mapping[str, pa.Array]
    rules: tuple[Rule, ...]
    reasons: pa.Array
    text: pa.Array | None = None

    def breaks(self, signal: str, side: str) -> pa.Array:
        """bool[N]: documents beyond that limit, whether or not an earlier limit has dropped them."""
        masks = (broken(self.signals[signal], rule).get(side) for rule in self.rules if rule.signal == signal)
        return next((mask for mask in masks if mask is not None), pa.array([False] * len(self.reasons)))


def judge(pair: Pair, texts: pa.Table, lists: Path) -> Judged:
    """`lists` is the folder of datatrove's URL lists."""
    options = url_options(lists) if pair.ours == "url_blocklist" else pair.our_options
    rule_set = _part(FILTER, pair.ours, **options)
    rewriter = None if pair.lines is None else _part(REWRITE, "c4_lines", **pair.lines)
    batches = [_measured(rule_set, batch, rewriter) for batch in texts.to_batches(max_chunksize=BATCH_ROWS)]
    whole = pa.Table.from_batches(batches).combine_chunks()
    signals = {name: whole.column(name).combine_chunks() for name in whole.column_names}
    text = signals.pop("text", None)
    return Judged(signals, rule_set.rules(), first_failure(signals, rule_set.rules(), len(texts)), text)


def url_options(lists: Path) -> dict[str, Any]:
    """Options of `url_blocklist` that make it use datatrove's lists."""
    return {"lists": {f"datatrove.{kind}": str(lists / file) for kind, file in LISTS.items()}, "embedded": False}


def _part(verb: Verb, key: str, **options: Any) -> Any:
    """The component with these options, in its variant `datatrove` if it has one."""
    kind = catalog.find(verb, key)
    if "variant" in {field.name for field in dataclasses.fields(kind)}:
        options = {"variant": VARIANT, **options}
    return kind(**options)


def _measured(rule_set: Any, batch: pa.RecordBatch, rewriter: Any) -> pa.RecordBatch:
    columns: dict[str, pa.Array] = {}
    if rewriter is not None:
        text, counts = rewriter.rewrite(batch)
        batch = batch.set_column(batch.schema.get_field_index("text"), "text", text)
        batch = batch.append_column("c4_lines", pa.StructArray.from_arrays(list(counts.values()), names=list(counts)))
        columns["text"] = text
    return pa.RecordBatch.from_pydict({**columns, **rule_set.measure(batch)})
