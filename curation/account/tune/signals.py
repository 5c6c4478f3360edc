"""Judges the stored signals of a filter stage under other limits, and estimates how much text a row has.

No text is read, and text sizes are not stored. The size is estimated from the number and mean length of words if a rule
set measured both, else it is the mean of the shard; then it is scaled so that kept and dropped rows each add up to the
bytes in the manifest. N = rows.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.tune.limits import RuleSets, rules_of
from curation.core.by_language import LANGUAGE, languages_of
from curation.core.commits import Part
from curation.core.errors import InputError
from curation.core.reasons import TAKEDOWN, rule_reason
from curation.core.rules import Rule, broken, first_failure

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
WORDS = "words"
LENGTH = "mean_word_length"


def columns_for(schema: pa.Schema, *sets: RuleSets) -> list[str]:
    """The columns needed to judge the rows and to estimate their sizes. Raises InputError for a signal not measured."""
    rules = [pair for own in sets for pair in rules_of(own)]
    wanted = [(key, rule.signal) for key, rule in rules]
    for key, signal in wanted:
        if schema.field(key).type.get_field_index(signal) < 0:
            raise InputError(f"{key}.{signal} was not measured in this run; curate again to measure it")
    words = word_column(schema)
    wanted += [(words, WORDS), (words, LENGTH)] if words is not None else []
    if has_language(schema):
        wanted.append((LANGUAGE, "label"))
    for rule in (rule for _, rule in rules if rule.only or rule.but):
        column, _, label = rule.by.partition(".")
        if column not in schema.names or schema.field(column).type.get_field_index(label) < 0:
            raise InputError(
                f"limits by language need the column {column!r}; add a stage that makes it before this one"
            )
        wanted.append((column, label))
    return [*dict.fromkeys(f"{key}.{signal}" for key, signal in wanted), "drop_reason"]


def has_language(schema: pa.Schema) -> bool:
    return LANGUAGE in schema.names and schema.field(LANGUAGE).type.get_field_index("label") >= 0


def word_column(schema: pa.Schema) -> str | None:
    """The first struct column with both the number and the mean length of words."""
    structs = [field for field in schema if pa.types.is_struct(field.type)]
    both = (f.name for f in structs if min(f.type.get_field_index(name) for name in (WORDS, LENGTH)) >= 0)
    return next(both, None)


def column_of(table: pa.Table, key: str, signal: str) -> pa.Array:
    return pc.struct_field(one_array(table, key), signal)


def one_array(table: pa.Table, name: str) -> pa.Array:
    return table[name].combine_chunks()


def labels_of(table: pa.Table) -> pa.Array:
    """string[N]: languages, null if none was identified."""
    if LANGUAGE in table.column_names:
        return column_of(table, LANGUAGE, "label").cast(pa.string())
    return pa.nulls(table.num_rows, pa.string())


def verdicts(sets: RuleSets, table: pa.Table) -> pa.Array:
    """string[N]: each row's drop reason under the rule sets' limits, null if it is kept.

    A row on which a rule set failed with an error stays dropped for it, unless an earlier rule set drops the row. A row
    that was taken down before it was measured stays taken down.
    """
    stored = one_array(table, "drop_reason")
    reasons = pc.if_else(pa.array(unmeasured(table)), stored, pa.scalar(None, pa.string()))
    for key, rule_set in sets.items():
        rules = rule_set.rules()
        signals = {rule.signal: column_of(table, key, rule.signal) for rule in rules}
        failure = first_failure(signals, rules, table.num_rows, languages_of(table, rules))
        failed = pc.fill_null(pc.starts_with(stored, f"error.{key}."), False)
        errors = pc.if_else(failed, stored, pa.scalar(None, pa.string()))
        reasons = pc.coalesce(reasons, errors, pc.binary_join_element_wise(pa.scalar(key), failure, "."))
    return reasons


def beyond(rules: Iterable[tuple[str, Rule]], table: pa.Table) -> dict[str, Bools]:
    """Limit -> bool[N]: rows beyond it, whether or not another limit drops them; `rules` with their keys."""
    masks: dict[str, Bools] = {}
    measured = ~unmeasured(table)
    for key, rule in rules:
        for side, mask in broken(column_of(table, key, rule.signal), rule, languages_of(table, (rule,))).items():
            limit = rule_reason(key, f"{rule.signal}:{side}")
            masks[limit] = np.asarray(mask) & measured | masks.get(limit, np.zeros(table.num_rows, np.bool_))
    return masks


def unmeasured(table: pa.Table) -> Bools:
    """bool[N]: rows that were taken down before the stage, so it did not measure them."""
    return np.asarray(pc.fill_null(pc.equal(one_array(table, "drop_reason"), TAKEDOWN), False))


def text_bytes(part: Part, table: pa.Table) -> Floats:
    """float64[N]: estimated UTF-8 bytes of each row's text."""
    kept = np.asarray(one_array(table, "drop_reason").is_null())
    words = word_column(table.schema)
    if words is None:
        weights = np.ones(table.num_rows)
    else:
        counts, lengths = (
            pc.fill_null(column_of(table, words, name), 0).cast(pa.float64()) for name in (WORDS, LENGTH)
        )
        weights = np.asarray(counts) * (np.asarray(lengths) + 1)
    for rows, total in ((kept, part.kept_text_bytes), (~kept, part.text_bytes - part.kept_text_bytes)):
        whole = weights[rows].sum()
        weights[rows] *= total / whole if whole else 0.0
    return weights
