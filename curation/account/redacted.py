"""Redacts what a terminal or a report shows of texts, whatever stage they are of.

Earlier stages, and documents that were dropped early, hold originals (unless the recipe says `privacy: {originals:
until_sealed}`). So the redacting rewriters of the run's recipe are applied to a text before it is shown, with
placeholders and without their key. A text on which one of them fails, and which was dropped for it, is not shown.
`winnow sql`, `winnow files` and the Python API give the columns as they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, cast

import pyarrow as pa

from curation.account.run.run_folder import RunFolder
from curation.core import catalog
from curation.core.by_language import LANGUAGE
from curation.core.guarded import attempt
from curation.core.protocols import Rewriter
from curation.core.settings import YamlFile, build
from curation.core.verbs import REWRITE

WITHHELD = "<WITHHELD>"  # in place of a text on which a rewriter fails
TEXT, TITLE = "text", "title"  # a column, and a field of signals that quotes the page
KINDS = {TEXT: pa.large_string(), "url": pa.string(), LANGUAGE: pa.struct([("label", pa.string())])}  # what is read


@dataclass(frozen=True)
class Redactor:
    """The rewriters, in the recipe's order; none where the recipe does not redact."""

    rewriters: tuple[Rewriter, ...]

    @classmethod
    def of(cls, run: RunFolder) -> Self:
        """Those of all sources, each distinct one once. Raises InputError for lists of a rewriter that are gone, or a
        missing package."""
        document = YamlFile(f"{run.record.name}: run.json", None, {})
        rewriters = list[Rewriter]()
        for key, options in _rewriters(run.record.recipe):
            kind = catalog.find(REWRITE, key)
            if getattr(kind, "redacts", False):
                rewriter = cast(Rewriter, build(kind, document, (key,), _what_is_sought(options)))
                if rewriter not in rewriters:
                    rewriters.append(rewriter)
        return cls(tuple(rewriters))

    def row(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """A document's columns by name, with its text (where that is a string) and its titles redacted."""
        redacted = dict(values)
        for name, value in values.items():
            if name == TEXT and isinstance(value, str):
                redacted[name] = self.text(value, values)
            elif isinstance(value, dict) and value.get(TITLE):
                redacted[name] = {**value, TITLE: self.text(value[TITLE], values)}
        return redacted

    def text(self, text: str, values: Mapping[str, Any]) -> str:
        """A text, or a part of one, redacted, or WITHHELD; `values`, of the same document, tell the rewriters its URL
        and language."""
        for rewriter in self.rewriters:
            columns = {**values, TEXT: text}
            arrays = {
                name: pa.array([columns.get(name)], kind) for name, kind in KINDS.items() if name in rewriter.reads
            }
            ((_, result),) = attempt(rewriter.rewrite, pa.RecordBatch.from_pydict(arrays))
            if isinstance(result, Exception):
                return WITHHELD
            (text,) = result[0].to_pylist()
        return text


def _what_is_sought(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options but for those that say what takes a value's place."""
    from curation.models.redaction.redacts import Redacts  # loads kernels, which no other run needs

    actions = {option.name for option in fields(Redacts)}
    return {name: value for name, value in options.items() if name not in actions}


def _rewriters(recipe: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The key and the options of each component of a rewrite stage."""
    for chain in (*recipe["sources"].values(), recipe["joined"]):
        for stage in chain:
            yield from stage.get(REWRITE.name, {}).items()
