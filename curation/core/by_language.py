"""Limits that differ by language: a rule set states its limits once, and a recipe overrides some of them per language.

    - filter: {gopher_quality: {by_language: {de: {max_mean_word_length: 14}, ja: {min_words: 0}}}}

The language is the one that the `language` rule set of an earlier stage found. A limit that a recipe lifts for a
language (an infinite one) does not exist there. Source: Penedo et al. 2025, "FineWeb2" (arXiv:2506.20920), which sets
each limit by language.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import RecipeError
from curation.core.rules import Rule
from curation.core.settings import check, nearest

LANGUAGE = "language"  # the column that the rule set of this name makes; its `label` counts


@dataclass(frozen=True, kw_only=True)
class ByLanguage:
    """Base of a rule set with limits by language: it states `limits` where others state `rules`."""

    by_language: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # language -> limit -> value

    reads: ClassVar[tuple[str, ...]]
    measuring: ClassVar[tuple[str, ...]] = ()  # options that change what is measured, and so hold for every language

    def __post_init__(self) -> None:
        if self.by_language:
            object.__setattr__(self, "reads", (*type(self).reads, LANGUAGE))
        for language in self.by_language:
            self._of(language)

    def limits(self) -> tuple[Rule, ...]:
        """The rules, one per signal, whatever the language."""
        raise NotImplementedError

    def rules(self) -> tuple[Rule, ...]:
        """Each limit for all languages that do not override it, then those of the languages that do."""
        found: list[Rule] = []
        own = {language: {rule.signal: rule for rule in self._of(language).limits()} for language in self.by_language}
        for rule in self.limits():
            others = {language: rules.get(rule.signal) for language, rules in own.items()}
            changed = {language: other for language, other in others.items() if other != rule}
            found.append(dataclasses.replace(rule, but=tuple(changed)))
            for language, other in changed.items():
                if other is not None and other.can_fire():
                    found.append(dataclasses.replace(other, only=(language,)))
        return tuple(rule for rule in found if rule.can_fire() or not self.by_language)

    def _of(self, language: str) -> Self:
        """This rule set with a language's limits. Raises RecipeError for what is no limit of it."""
        options = self.by_language[language]
        known = {one.name for one in dataclasses.fields(self)} - {"by_language", *self.measuring}
        for name, value in options.items():
            if name not in known:
                raise RecipeError(f"by_language.{language}: no limit {name!r}{nearest(name, known)}")
            check(type(self), name, value, f"by_language.{language}.{name}")
        return dataclasses.replace(self, by_language={}, **options)


def languages_of(batch: pa.RecordBatch | pa.Table, rules: tuple[Rule, ...]) -> pa.Array | None:
    """string[N]: the documents' languages, null where none was found; None where no rule depends on them."""
    if not any(rule.only is not None or rule.but for rule in rules):
        return None
    column = batch.column(LANGUAGE)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pc.struct_field(column, "label")
