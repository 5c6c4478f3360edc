"""Applies a stage's components to a batch: signals and edits become columns, limits become one drop reason per row.

One bad document never stops a stage (`curation/core/guarded.py`).
"""

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import NO_KIT, NO_MODEL, ByLanguage, languages_of, without_model
from curation.core.component import Keyed
from curation.core.filter import Filter
from curation.core.guarded import attempt, measure
from curation.core.protocols import Extractor, Rewriter
from curation.core.reasons import error_reason
from curation.core.rules import fired, first_failure
from curation.models.redaction.beside import redacted_beside, redacts
from curation.text.languages.kits import has_kits
from curation.text.shared_measures import sharing
from curation.tokens.encode import Encode
from curation.tokens.validation_share import VALIDATION

Edits = tuple[pa.Array, dict[str, pa.Array]]


def extract(
    key: str,
    extractor: Extractor,
    pages: pa.RecordBatch,
    caught: Mapping[str, str],
    on_caught: Callable[[str, str], None],
) -> pa.RecordBatch:
    """RAW[N] -> DOCUMENT[N] plus the struct column `extract`."""
    outcomes = attempt(lambda batch: extractor.extract(batch, caught, on_caught), pages)
    good = [result for _, result in outcomes if not isinstance(result, Exception)]
    schema = good[0].schema if good else extractor.extract(pages.slice(0, 0), caught, on_caught).schema
    return pa.concat_batches([_rescued(key, batch, result, schema) for batch, result in outcomes])


def _rescued(key: str, batch: pa.RecordBatch, result: pa.RecordBatch | Exception, schema: pa.Schema) -> pa.RecordBatch:
    """The result itself, or, in place of an exception, the record's head with the error as its reason."""
    if not isinstance(result, Exception):
        return result
    shared = {field.name for field in batch.schema if field in list(schema)}
    columns = {
        field.name: batch.column(field.name) if field.name in shared else pa.nulls(1, field.type) for field in schema
    }
    columns["drop_reason"] = pa.array([error_reason(key, result)], pa.string())
    return pa.RecordBatch.from_pydict(columns, schema=schema)


class Crash(Exception):  # noqa: N818 - its name stands in the reason
    """The death of the process that worked on a document."""


def spare_crashed(
    batch: pa.RecordBatch, crashed: Mapping[int, str], call: Callable[[pa.RecordBatch], pa.RecordBatch]
) -> pa.RecordBatch:
    """The result of `call` for the batch. Rows in `crashed` (row -> key of the component that they kill) are not passed
    to it and are dropped as `error.<key>.Crash`."""
    if not crashed:
        return call(batch)
    schema, pieces, first = call(batch.slice(0, 0)).schema, [], 0
    for row, key in sorted(crashed.items()):
        pieces += [call(batch.slice(first, row - first)), _rescued(key, batch.slice(row, 1), Crash(), schema)]
        first = row + 1
    return pa.concat_batches([*pieces, call(batch.slice(first))])


def judge(filters: Keyed[Filter], batch: pa.RecordBatch) -> pa.RecordBatch:
    """Adds one struct column of signals per filter and `drop_reason`: the first limit broken, in recipe order.

    Every filter measures every row, also one that an earlier filter of the stage has dropped.
    """
    columns = _columns(batch)
    reasons = columns.pop("drop_reason")
    with sharing():  # lines and words that several rule sets need are computed once
        measured = [measure(key, rule_set, batch) for key, rule_set in filters]
    for (key, rule_set), (signals, errors) in zip(filters, measured, strict=True):
        names = list(signals)
        columns[key] = pa.StructArray.from_arrays([signals[name] for name in names], names=names)
        rules = rule_set.rules()
        failure = first_failure(signals, rules, batch.num_rows, languages_of(columns, rules))
        reasons = pc.coalesce(reasons, errors, pc.binary_join_element_wise(pa.scalar(key), failure, "."))
    columns["drop_reason"] = reasons
    return pa.RecordBatch.from_pydict(columns)


def rewrite(rewriters: Keyed[Rewriter], batch: pa.RecordBatch) -> pa.RecordBatch:
    """Edits `text` by each rewriter in order and adds one struct column of edit counts per rewriter. One that redacts
    edits what stands beside the text too."""
    for key, rewriter in rewriters:
        pieces = [_edited(key, rewriter, piece, result) for piece, result in attempt(rewriter.rewrite, batch)]
        batch = pa.concat_batches(pieces)
        if redacts(rewriter):
            batch = redacted_beside(rewriter, batch)
    return batch


def _edited(key: str, rewriter: Rewriter, batch: pa.RecordBatch, result: Edits | Exception) -> pa.RecordBatch:
    columns = _columns(batch)
    reasons = columns.pop("drop_reason")
    if isinstance(result, Exception):
        shape = rewriter.rewrite(batch.slice(0, 0))[1]
        counts = {name: pa.nulls(batch.num_rows, values.type) for name, values in shape.items()}
        reasons = pc.coalesce(reasons, pa.scalar(error_reason(key, result)))
    else:
        columns["text"], counts = result
    columns[key] = pa.StructArray.from_arrays(list(counts.values()), names=list(counts))
    columns["drop_reason"] = reasons
    return pa.RecordBatch.from_pydict(columns)


def encode(key: str, encoder: Encode, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Adds the encoder's columns; a document that it fails on gets nulls and an error reason."""
    pieces = []
    for piece, result in attempt(encoder.encode, batch):
        columns = _columns(piece)
        reasons = columns.pop("drop_reason")
        if isinstance(result, Exception):
            reasons = pc.coalesce(reasons, pa.scalar(error_reason(key, result)))
            shape = encoder.encode(piece.slice(0, 0))
            result = {name: pa.nulls(piece.num_rows, values.type) for name, values in shape.items()}
        pieces.append(pa.RecordBatch.from_pydict({**columns, **result, "drop_reason": reasons}))
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


def count_without_kit(filters: Keyed[Filter], table: pa.Table, into: dict[str, int]) -> None:
    """Adds, per language that the kits of a filter stage leave out, its kept documents: "no_kit.<language>" -> count.
    `table` is the result of `judge`."""
    kitted = (one for _, one in filters if isinstance(one, ByLanguage) and has_kits(one.by_language))
    rule_set = next(kitted, None)  # all rule sets of a stage with kits have the same languages
    for language, count in without_model(tuple(rule_set.by_language), table).items() if rule_set is not None else ():
        into[f"{NO_KIT}{language}"] = into.get(f"{NO_KIT}{language}", 0) + count


def count_edits(keys: Sequence[str], table: pa.Table, into: dict[str, int]) -> None:
    """Adds each rewriter's counts over all rows: "<key>.<count>" -> sum. Its other columns are left out."""
    for key in keys:
        struct = table[key].combine_chunks()
        for field in filter(lambda field: pa.types.is_integer(field.type), struct.type):
            total = pc.sum(pc.struct_field(struct, field.name)).as_py() or 0
            into[f"{key}.{field.name}"] = into.get(f"{key}.{field.name}", 0) + total


def count_held_out(table: pa.Table, into: dict[str, int]) -> None:
    """Adds the tokens of the validation split as VALIDATION."""
    tokens = table["tokens"].filter(pc.equal(table["split"], VALIDATION))
    into[VALIDATION] = into.get(VALIDATION, 0) + (pc.sum(pc.list_value_length(tokens)).as_py() or 0)


def _columns(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    return dict(zip(batch.schema.names, batch.columns, strict=True))
