"""Limits by language: a rule set states its limits once, and a recipe overrides some of them per language.

    - filter: {gopher_quality: {by_language: {de: {max_mean_word_length: 14}, ja: {min_words: 0}}}}
    - rewrite: {c4_lines: {by_language: {hi: {end_marks: ["।", "?", "!"]}}}}

A document's language is the label from the `language` rule set of an earlier stage. An infinite limit (`.inf`) lifts
the limit for that language. A rewriter's options are overridden in the same way. Instead of the mapping, a recipe may
name kits, which state it for many rule sets: `curation/text/languages/kits.py`.
Source: Penedo et al. 2025, "FineWeb2" (arXiv:2506.20920), which sets each limit by language.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.close_names import nearest
from curation.core.component import Component
from curation.core.errors import RecipeError
from curation.core.filter import Filter, made, may_be_unset
from curation.core.limits import When, fits
from curation.core.protocols import Rewriter
from curation.core.rules import Rule
from curation.core.settings import typed

LANGUAGE = "language"  # the column of the rule set of this name; its field `label` is used
NO_MODEL = "no_model."  # begins the names of a stage's counts of documents that a rule set has no model for
NO_KIT = "no_kit."  # begins the names of its counts of documents in languages that no kit has limits for
EVERY = ""  # stands for the language of a model that reads every text
UNKNOWN = "unknown"  # stands for the language of a document without one


@dataclass(frozen=True, kw_only=True)
class _Overridden(Component):
    """A component with options that may differ by language."""

    by_language: Annotated[Mapping[str, Mapping[str, Any]], "language -> limit -> value; or kits"] = field(
        default_factory=dict
    )

    counts_with: ClassVar[Mapping[str, When]] = {}  # option -> when it has an effect; a limit's option: see `Limit`

    def __post_init__(self) -> None:
        fields = dataclasses.fields(self)
        self._check_effect(option.name for option in fields if getattr(self, option.name) != option.default)
        if self.by_language:
            object.__setattr__(self, "reads", (*type(self).reads, LANGUAGE))
        values = {language: self._checked(language) for language in self.by_language}
        object.__setattr__(self, "by_language", values)

    def _checked(self, language: str) -> dict[str, Any]:
        """A language's options, converted to their types. Raises RecipeError for anything else."""
        options = self.by_language[language]
        values = {}
        known = self.may_differ()
        for name, value in options.items():
            if name not in known:
                raise RecipeError(f"by_language.{language}: no limit {name!r}{nearest(name, known)}")
            values[name] = typed(type(self), name, value, f"by_language.{language}.{name}")
        own = dataclasses.replace(self, by_language={}, **values)  # runs the component's own checks
        own._check_effect(values)
        return values

    @classmethod
    def may_differ(cls) -> tuple[str, ...]:
        """The options that may differ by language."""
        raise NotImplementedError

    @classmethod
    def effective(cls, name: str) -> tuple[When, ...]:
        """With which values of others an option has an effect: one of these; empty: with any."""
        return (cls.counts_with[name],) if name in cls.counts_with else ()

    def counts(self, name: str) -> bool:
        """Whether an option has an effect together with the others."""
        effective = self.effective(name)
        return not effective or any(fits(when, self) for when in effective)

    def _check_effect(self, names: Iterable[str]) -> None:
        """Raises RecipeError for an option that has no effect together with the others."""
        for name in names:
            if not self.counts(name):
                wanted: dict[str, tuple[str, ...]] = {}
                for when in self.effective(name):
                    for option, values in when.items():
                        wanted[option] = (*wanted.get(option, ()), *values)
                where = " and ".join(
                    f"with {option}: {' or '.join(values)}" if values else f"where {option} is given"
                    for option, values in wanted.items()
                )
                remedy = " or ".join(f"{'change' if values else 'give'} {option}" for option, values in wanted.items())
                raise RecipeError(f"{name} has an effect only {where}; remove it, or {remedy}")


@dataclass(frozen=True, kw_only=True)
class ByLanguage(_Overridden, Filter):
    """Base of a rule set with limits by language."""

    beside: ClassVar[tuple[str, ...]] = ()  # options of what is measured that may differ by language

    @classmethod
    def may_differ(cls) -> tuple[str, ...]:
        """The options of the limits and the few others that the class names; all others change what is measured."""
        return (*dict.fromkeys(name for limit in cls.limits for name in limit.options()), *cls.deciding, *cls.beside)

    @classmethod
    def effective(cls, name: str) -> tuple[When, ...]:
        """As for any component; the option of a limit has an effect where the limit holds."""
        limits = [limit.when for limit in cls.limits if name in limit.options()]
        return tuple(limits) if limits else super().effective(name)

    def modelled(self) -> tuple[str, ...] | None:
        """The languages that it has a model for; a document in another one has no signals and no limit. None: all."""
        return None

    def overrides(self) -> Mapping[str, Mapping[str, Any]]:
        """Language -> option -> value."""
        return self.by_language

    def rules(self) -> tuple[Rule, ...]:
        """Each limit, for all languages that do not override it, followed by the limits of those that do."""
        return self._rules

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:  # a batch asks several times, and there may be many languages
        rules: list[Rule] = []
        overrides = self.overrides()
        own = {language: self._by_signal(options) for language, options in overrides.items()}
        for rule in made(self):
            others = {language: by_signal.get(rule.signal) for language, by_signal in own.items()}
            changed = {language: other for language, other in others.items() if other != rule}
            rules.append(dataclasses.replace(rule, but=tuple(changed)))
            languages: dict[Rule, tuple[str, ...]] = {}
            for language, other in changed.items():
                if other is not None and other.can_fire():
                    languages[other] = (*languages.get(other, ()), language)
            rules += [dataclasses.replace(other, only=only) for other, only in languages.items()]
        only = self.modelled()
        return tuple(
            rule if rule.only or only is None else dataclasses.replace(rule, only=only)
            for rule in rules
            if rule.can_fire() or not (overrides or may_be_unset(self, rule))
        )

    def _by_signal(self, options: Mapping[str, Any]) -> dict[str, Rule]:
        """Signal -> its rule with other options."""
        return {rule.signal: rule for rule in made(dataclasses.replace(self, by_language={}, **options))}


@dataclass(frozen=True, kw_only=True)
class EditsByLanguage(_Overridden, Rewriter):
    """Base of a rewriter with options by language: it defines `edit` instead of `rewrite`."""

    for_all: ClassVar[tuple[str, ...]] = ()  # options that must not differ by language

    @classmethod
    def may_differ(cls) -> tuple[str, ...]:
        """All options but those that the class names."""
        names = (option.name for option in dataclasses.fields(cls))
        return tuple(name for name in names if name not in ("by_language", *cls.for_all))

    def edit(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """As `rewrite`, for any language. The names of the counts must not depend on options."""
        raise NotImplementedError

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (large_string[N], {count: int64[N]}), each document with its language's options."""
        if not self.by_language:
            return self.edit(batch)
        values = list(self.by_language.values())
        distinct: list[Mapping[str, Any]] = [{}]  # options beside the general ones; many languages have the same
        distinct += [own for place, own in enumerate(values) if own and own not in values[:place]]
        editors = [dataclasses.replace(self, by_language={}, **own) for own in distinct]
        label = pc.struct_field(batch.column(LANGUAGE), "label")
        language = pc.index_in(label, pa.array(list(self.by_language), label.type))
        number = pc.fill_null(pa.array([distinct.index(own) for own in values], pa.int32()).take(language), 0)
        rows = [pc.indices_nonzero(pc.equal(number, editor)) for editor in range(len(editors))]
        columns = batch.select(type(self).reads)
        edited = [editor.edit(columns.take(own)) for editor, own in zip(editors, rows, strict=True)]
        back = pc.array_sort_indices(pa.concat_arrays(rows))
        text = pa.concat_arrays([text for text, _ in edited]).take(back)
        counts = {name: pa.concat_arrays([counts[name] for _, counts in edited]).take(back) for name in edited[0][1]}
        return text, counts


def rows_by_language(batch: pa.RecordBatch, models: Iterable[str]) -> dict[str, npt.NDArray[np.int64]]:
    """Language of a model -> the rows of the documents that it reads; EVERY has all."""
    if EVERY in models:
        return {EVERY: np.arange(len(batch))}
    labels = pc.struct_field(batch.column(LANGUAGE), "label")
    return {name: np.flatnonzero(pc.fill_null(pc.equal(labels, name), False)) for name in models}


def without_model(languages: tuple[str, ...], table: pa.Table) -> dict[str, int]:
    """Language -> kept documents of the table in another one than `languages`; UNKNOWN for those in none."""
    labels = pc.struct_field(table[LANGUAGE], "label").filter(table["drop_reason"].is_null())
    known = pc.is_in(labels, pa.array(languages, labels.type))
    counts = pc.value_counts(labels.filter(pc.invert(known)).fill_null(UNKNOWN)).to_pylist()
    return {entry["values"]: entry["counts"] for entry in counts}


def languages_of(columns: Mapping[str, pa.Array] | pa.Table, rules: tuple[Rule, ...]) -> pa.Array | None:
    """string[N]: the documents' languages, null if unknown; None if no rule depends on the language."""
    by = next((rule.by for rule in rules if rule.only is not None or rule.but), None)
    if by is None:
        return None
    name, _, label = by.partition(".")
    column = columns[name]
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pc.struct_field(column, label)
