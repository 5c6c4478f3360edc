"""Applies a stage's components to a batch: signals and edits become columns, failures become drop reasons.

One bad document never stops a stage (`curation/core/guarded.py`). How limits become reasons is in
`curation/core/judging.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import NO_KIT, ByLanguage, without_model
from curation.core.component import Components, Keyed, each, only
from curation.core.errors import StageError
from curation.core.filter import Filter
from curation.core.guarded import Within, attempt, nulls, unlimited
from curation.core.judging import edit, judge
from curation.core.protocols import Extractor, Redacting, Rewriter
from curation.core.reasons import error_reason
from curation.core.verbs import Verb
from curation.models.redaction.beside import redacted_beside
from curation.text.languages.kits import has_kits
from curation.tokens.encode import Encode
from curation.tokens.validation_share import VALIDATION


def mapped(verb: Verb, components: Components, batch: pa.RecordBatch, within: Within = unlimited) -> pa.RecordBatch:
    """The batch with the columns that the components of a filter, rewrite or tokenize stage add."""
    if verb.judges:
        return judge(each(Filter, components), batch, within)
    if verb.edits:
        return rewrite(each(Rewriter, components), batch, within)
    return encode(*only(Encode, components), batch, within)


def extract(
    key: str,
    extractor: Extractor,
    pages: pa.RecordBatch,
    caught: Mapping[str, str],
    on_caught: Callable[[str, str], None],
    within: Within = unlimited,
) -> pa.RecordBatch:
    """RAW[N] -> documents[N] of the extractor's schema. Raises StageError for documents of another one."""
    call = within(key, lambda batch: extractor.extract(batch, caught, on_caught), extractor.needs().memory)
    outcomes = attempt(call, pages)
    schema = extractor.schema()
    for _, result in outcomes:
        if not isinstance(result, Exception) and result.schema != schema:
            raise StageError(f"{key}: its documents have other columns than its signal_types() declares")
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
    batch: pa.RecordBatch,
    crashed: Mapping[int, str],
    schema: pa.Schema,
    call: Callable[[pa.RecordBatch], pa.RecordBatch],
) -> pa.RecordBatch:
    """The result of `call` for the batch, which has the schema. Rows in `crashed` (row -> key of the component that
    they kill) are not passed to it and are dropped as `error.<key>.Crash`."""
    if not crashed:
        return call(batch)
    pieces: list[pa.RecordBatch] = []
    first = 0
    for row, key in sorted(crashed.items()):
        pieces.append(call(batch.slice(first, row - first)))
        pieces.append(_rescued(key, batch.slice(row, 1), Crash(), schema))
        first = row + 1
    return pa.concat_batches([*pieces, call(batch.slice(first))])


def rewrite(rewriters: Keyed[Rewriter], batch: pa.RecordBatch, within: Within = unlimited) -> pa.RecordBatch:
    """Edits `text` by each rewriter in order and adds one struct column of edit counts per rewriter. One that redacts
    edits what stands beside the text too."""
    for key, rewriter in rewriters:
        batch = edit(key, rewriter, batch, within)
        if isinstance(rewriter, Redacting):
            batch = _redacted_beside(key, rewriter, batch, within)
    return batch


def _redacted_beside(key: str, rewriter: Redacting, batch: pa.RecordBatch, within: Within) -> pa.RecordBatch:
    """The batch, redacted beside the text. Where that exceeds a limit, the document is dropped with what is left where
    the rewriter fails."""
    call = within(f"{key}.beside", partial(redacted_beside, rewriter), rewriter.needs().memory)
    return pa.concat_batches(
        _with(redacted_beside(_Failing(), piece), {}, error_reason(key, result))
        if isinstance(result, Exception)
        else result
        for piece, result in attempt(call, batch)
    )


class _Failing(Redacting):
    """A rewriter that fails on everything."""

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        raise ValueError

    def urls(self, urls: pa.Array) -> pa.Array:
        raise ValueError

    def words(self, texts: pa.Array) -> pa.Array:
        raise ValueError


def encode(key: str, encoder: Encode, batch: pa.RecordBatch, within: Within = unlimited) -> pa.RecordBatch:
    """Adds the encoder's columns; a document that it fails on gets nulls and an error reason."""
    declared = encoder.signal_types()
    return pa.concat_batches(
        _with(piece, nulls(declared, len(piece)), error_reason(key, result))
        if isinstance(result, Exception)
        else _with(piece, result)
        for piece, result in attempt(within(key, encoder.encode, encoder.needs().memory), batch)
    )


def _with(batch: pa.RecordBatch, added: Mapping[str, pa.Array], error: str | None = None) -> pa.RecordBatch:
    """The batch with these columns, `drop_reason` last: the error, where there was none."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    reasons = columns.pop("drop_reason")
    if error is not None:
        reasons = pc.coalesce(reasons, pa.scalar(error))
    return pa.RecordBatch.from_pydict({**columns, **added, "drop_reason": reasons})


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
