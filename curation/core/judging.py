"""Applies filters and rewriters to a batch: signals become columns, and limits become one drop reason per row."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import NO_MODEL, ByLanguage, languages_of, without_model
from curation.core.component import Keyed
from curation.core.filter import Filter
from curation.core.guarded import Within, as_declared, attempt, measure, nulls, unlimited
from curation.core.protocols import Rewriter
from curation.core.reasons import error_reason
from curation.core.rules import fired, first_failure
from curation.core.shared_measures import sharing


def judge(filters: Keyed[Filter], batch: pa.RecordBatch, within: Within = unlimited) -> pa.RecordBatch:
    """Adds one struct column of signals per filter and `drop_reason`: the first limit broken, in recipe order.

    Every filter measures every row, also one that an earlier filter of the stage has dropped.
    """
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    reasons = columns.pop("drop_reason")
    with sharing():  # lines and words that several rule sets need are computed once
        measured = [measure(key, rule_set, batch, within) for key, rule_set in filters]
    for (key, rule_set), (signals, errors) in zip(filters, measured, strict=True):
        columns[key] = struct_of(signals)
        rules = rule_set.rules()
        failure = first_failure(signals, rules, batch.num_rows, languages_of(columns, rules))
        reasons = pc.coalesce(reasons, errors, pc.binary_join_element_wise(pa.scalar(key), failure, "."))
    columns["drop_reason"] = reasons
    return pa.RecordBatch.from_pydict(columns)


def struct_of(signals: Mapping[str, pa.Array]) -> pa.StructArray:
    """The column of a component's signals."""
    return pa.StructArray.from_arrays(list(signals.values()), names=list(signals))


def edit(key: str, rewriter: Rewriter, batch: pa.RecordBatch, within: Within = unlimited) -> pa.RecordBatch:
    """Edits `text` and adds one struct column of edit counts. A row that the rewriter fails on keeps its text, and its
    `drop_reason`, the last column, names the error unless it was dropped before."""
    declared = rewriter.signal_types()
    pieces: list[pa.RecordBatch] = []
    for piece, result in attempt(within(key, rewriter.rewrite, rewriter.needs().memory), batch):
        columns = dict(zip(piece.schema.names, piece.columns, strict=True))
        reasons = columns.pop("drop_reason")
        if isinstance(result, Exception):
            counts = as_declared(key, declared, nulls(declared, len(piece)))
            reasons = pc.coalesce(reasons, pa.scalar(error_reason(key, result)))
        else:
            columns["text"], counts = result
            counts = as_declared(key, declared, counts)
        pieces.append(pa.RecordBatch.from_pydict({**columns, key: struct_of(counts), "drop_reason": reasons}))
    return pa.concat_batches(pieces)


def count_fired(filters: Keyed[Filter], table: pa.Table, into: dict[str, int]) -> None:
    """Adds, per limit, the documents beyond it: "<key>.<signal>:<side>" -> count. `table` is the result of `judge`."""
    for key, rule_set in filters:
        struct = table[key].combine_chunks()
        signals = {field.name: pc.struct_field(struct, field.name) for field in struct.type}
        rules = rule_set.rules()
        for limit, count in fired(signals, rules, languages_of(table, rules)).items():
            into[f"{key}.{limit}"] = into.get(f"{key}.{limit}", 0) + count


def count_without_model(filters: Keyed[Filter], table: pa.Table, into: dict[str, int]) -> None:
    """Adds, per filter with models by language and per other language, the kept documents: "no_model.<key>.<language>"
    -> count. `table` is the result of `judge`."""
    for key, rule_set in filters:
        languages = rule_set.modelled() if isinstance(rule_set, ByLanguage) else None
        for language, count in without_model(languages, table).items() if languages is not None else ():
            name = f"{NO_MODEL}{key}.{language}"
            into[name] = into.get(name, 0) + count
