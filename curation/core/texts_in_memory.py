"""Applies a filter or a rewriter to texts in memory: `GopherQuality(min_words=30)("some text")`.

One text, or one document as a mapping, gives one answer; a list gives a list; a column of Arrow or pandas, or a table,
gives a table of as many rows. The answers are those of a stage. N = number of documents.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.answers import Judgement, Rewrite
from curation.core.by_language import LANGUAGE
from curation.core.catalog import key_of
from curation.core.component import Component, struct_type
from curation.core.document import DOCUMENT
from curation.core.documents_given import GivenDocuments, documents_of
from curation.core.errors import UserError
from curation.core.filter import Filter
from curation.core.judging import edit, judge
from curation.core.option_checks import check_options
from curation.core.protocols import Rewriter
from curation.core.reasons import extract_reason

ROWS = 1_000  # of a batch, as in a stage
REASON = "drop_reason"
MAY_LACK = {
    **{name: DOCUMENT.field(name).type for name in ("url", "crawled_at", "licence", "declared_language", "truncated")},
    LANGUAGE: pa.struct([("label", pa.string())]),
}


def judged(rule_set: Filter, texts: Any) -> Any:
    """A Judgement, a list of them, or a table with `kept`, `reason` and a column per signal. A text that is null is
    dropped as `extract:no_text`. Raises UserError for what holds no texts, or lacks a column that the filter reads."""
    key = key_of(type(rule_set))
    documents = _checked(key, rule_set, documents_of(texts))
    answers = _each(key, rule_set, documents.table, lambda batch: judge(((key, rule_set),), batch))
    no_text = pc.if_else(pc.is_null(answers["text"]), extract_reason("no_text"), pa.scalar(None, pa.string()))
    reasons = pc.coalesce(answers[REASON], no_text)
    table = pa.table({"kept": pc.is_null(reasons), "reason": reasons, key: answers[key]})

    def judgement(row: dict[str, Any]) -> Judgement:
        return Judgement(kept=row["kept"], reason=row["reason"], signals=row[key] or {})

    return documents.given_as(table, judgement)


def rewritten(rewriter: Rewriter, texts: Any) -> Any:
    """A Rewrite, a list of them, or a table with `text` and a column per count. A null text stays null. Raises
    UserError as `judged`, and for a text that the rewriter fails on."""
    key = key_of(type(rewriter))
    documents = _checked(key, rewriter, documents_of(texts))
    answers = _each(key, rewriter, documents.table, lambda batch: edit(key, rewriter, batch))
    failed = answers[REASON].drop_null()
    if len(failed):
        raise UserError(f"{key} fails on a text: {failed[0]}")

    def rewrite(row: dict[str, Any]) -> Rewrite:
        return Rewrite(text=row["text"], counts=row[key] or {})

    return documents.given_as(answers.select(["text", key]), rewrite)


def _checked(key: str, component: Component, documents: GivenDocuments) -> GivenDocuments:
    """The documents with each column that the component reads. Beside a text, what any document may lack is null: its
    url, its licence, its language. Raises UserError for any other column that is not there."""
    check_options(component)
    table = documents.table
    if LANGUAGE in table.column_names:
        table = table.set_column(table.column_names.index(LANGUAGE), LANGUAGE, _labels(table[LANGUAGE]))
    beside_text = type(component).reads if "text" in component.reads else ()
    for name in component.reads:
        if name not in table.column_names:
            if name not in MAY_LACK or name not in beside_text:
                wanted = " and ".join(dict.fromkeys(("text", *component.reads)))
                raise UserError(f"{key} reads {name}; give documents as mappings, or a table, with {wanted}")
            table = table.append_column(name, pa.nulls(len(table), MAY_LACK[name]))
    return replace(documents, table=table)


def _labels(languages: pa.ChunkedArray) -> pa.ChunkedArray:
    """Languages given as words, such as "de", as the column of a `language` stage; such a column as it is."""
    if pa.types.is_struct(languages.type):
        return languages
    try:
        labels = languages.cast(pa.string()).combine_chunks()
    except pa.ArrowException as error:
        raise UserError(
            f"the column `{LANGUAGE}` of the documents holds {languages.type}, not codes like de"
        ) from error
    return pa.chunked_array([pa.StructArray.from_arrays([labels], names=["label"])])


def _each(
    key: str, component: Component, documents: pa.Table, apply: Callable[[pa.RecordBatch], pa.RecordBatch]
) -> pa.Table:
    """text, the component's column and the reason of each document [N]; nulls where the text is null."""
    kind = pa.schema([("text", pa.large_string()), (key, struct_type(component.signal_types())), (REASON, pa.string())])
    there = pc.is_valid(documents["text"])
    given = documents.append_column(REASON, pa.nulls(len(documents), pa.string())).filter(there).combine_chunks()
    batches = [apply(batch).select(kind.names) for batch in given.to_batches(max_chunksize=ROWS)]
    answers = pa.Table.from_batches([pa.RecordBatch.from_arrays(batch.columns, schema=kind) for batch in batches], kind)
    places = pc.subtract(pc.cumulative_sum(there.cast(pa.int64())), 1)
    return answers.take(pc.if_else(there, places, pa.scalar(None, pa.int64())))
