"""Reads the signals that a filter stage stored, judges them under given limits, and tells how much text a row has.

Only the columns asked for are read, never the text. The size of a text is not stored either; it is estimated from the
number and the mean length of its words where a rule set measured those, else taken as the mean, and in both cases
scaled so that the kept and the dropped rows of a shard each add up to the bytes that its manifest states. N = rows.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.tune.limits import RuleSets
from curation.core.by_language import LANGUAGE, languages_of
from curation.core.commits import Part
from curation.core.errors import InputError
from curation.core.reasons import TAKEDOWN, rule_reason
from curation.core.rules import broken, first_failure

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
WORDS, LENGTH = "words", "mean_word_length"


def columns_for(schema: pa.Schema, sets: Iterable[RuleSets]) -> list[str]:
    """What judging by these rule sets and weighing the rows needs. Raises InputError for what was not measured."""
    wanted = [(key, rule.signal) for one in sets for key, part in one.items() for rule in part.rules()]
    for key, signal in wanted:
        if schema.field(key).type.get_field_index(signal) < 0:
            raise InputError(f"{key}.{signal} was not measured in this run; curate again to have it")
    words = word_column(schema)
    wanted += [(words, WORDS), (words, LENGTH)] if words is not None else []
    if has_language(schema):
        wanted.append((LANGUAGE, "label"))
    for rule in (rule for one in sets for part in one.values() for rule in part.rules() if rule.only or rule.but):
        column, _, label = rule.by.partition(".")
        if column not in schema.names or schema.field(column).type.get_field_index(label) < 0:
            raise InputError(f"limits by language need the column {column!r}, which no stage up to this one made")
        wanted.append((column, label))
    return [*dict.fromkeys(f"{key}.{signal}" for key, signal in wanted), "drop_reason"]


def has_language(schema: pa.Schema) -> bool:
    return LANGUAGE in schema.names and schema.field(LANGUAGE).type.get_field_index("label") >= 0


def word_column(schema: pa.Schema) -> str | None:
    """The first struct of signals that holds both the number and the mean length of words."""
    structs = [field for field in schema if pa.types.is_struct(field.type)]
    both = (f.name for f in structs if min(f.type.get_field_index(name) for name in (WORDS, LENGTH)) >= 0)
    return next(both, None)


def column_of(table: pa.Table, key: str, signal: str) -> pa.Array:
    """One signal of all rows."""
    return pc.struct_field(one_array(table, key), signal)


def one_array(table: pa.Table, name: str) -> pa.Array:
    return table[name].combine_chunks()


def labels_of(table: pa.Table) -> pa.Array:
    """string[N]: languages, null where none was found."""
    if LANGUAGE in table.column_names:
        return column_of(table, LANGUAGE, "label").cast(pa.string())
    return pa.nulls(table.num_rows, pa.string())


def verdicts(sets: RuleSets, table: pa.Table) -> pa.Array:
    """string[N]: the reason for which each row is dropped under the rule sets' limits, null where it is kept.

    A row on which a rule set had failed stays dropped for that, unless a rule set before it drops it; one that was
    taken down before it could be measured stays so.
    """
    stored = one_array(table, "drop_reason")
    reasons = pc.if_else(pa.array(unmeasured(table)), stored, pa.scalar(None, pa.string()))
    for key, part in sets.items():
        rules = part.rules()
        signals = {rule.signal: column_of(table, key, rule.signal) for rule in rules}
        failure = first_failure(signals, rules, table.num_rows, languages_of(table, rules))
        failed = pc.fill_null(pc.starts_with(stored, f"error.{key}."), False)
        errors = pc.if_else(failed, stored, pa.scalar(None, pa.string()))
        reasons = pc.coalesce(reasons, errors, pc.binary_join_element_wise(pa.scalar(key), failure, "."))
    return reasons


def beyond(sets: RuleSets, table: pa.Table) -> dict[str, Bools]:
    """Limit -> bool[N]: rows beyond it, whatever else may drop them."""
    found: dict[str, Bools] = {}
    measured = ~unmeasured(table)
    for key, part in sets.items():
        rules = part.rules()
        languages = languages_of(table, rules)
        for rule in rules:
            for side, mask in broken(column_of(table, key, rule.signal), rule, languages).items():
                limit = rule_reason(key, f"{rule.signal}:{side}")
                found[limit] = np.asarray(mask) & measured | found.get(limit, np.zeros(table.num_rows, np.bool_))
    return found


def unmeasured(table: pa.Table) -> Bools:
    """bool[N]: rows that the stage dropped before it measured them, because they had been taken down."""
    return np.asarray(pc.fill_null(pc.equal(one_array(table, "drop_reason"), TAKEDOWN), False))


def text_bytes(part: Part, table: pa.Table) -> Floats:
    """float64[N]: estimated UTF-8 bytes of the text of each row of a shard."""
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
