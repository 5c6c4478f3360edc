"""Redacts what a terminal or a report shows of texts, whatever stage they are of.

Earlier stages, and documents that were dropped early, hold originals (unless the recipe says `privacy: {originals:
until_sealed}`). So the redacting rewriters of the run's recipe are applied to a text, and to the URL, licence and title
beside it, before it is shown, with placeholders and without their key. A text on which one of them fails, and which was
dropped for it, is not shown. `winnow sql`, `winnow files` and the Python API give the columns as they are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import pyarrow as pa

from curation.account.sealed.run_folder import RunFolder
from curation.core import catalog
from curation.core.by_language import LANGUAGE
from curation.core.errors import InputError
from curation.core.guarded import attempt
from curation.core.manifest import RunRecord
from curation.core.protocols import Redacting
from curation.core.settings import YamlFile, build
from curation.core.verbs import REWRITE
from curation.models.redaction.beside import LICENCE, QUOTING, TEXT, URL, redacted_column

WITHHELD = "<WITHHELD>"  # in place of a text on which a rewriter fails
KINDS = {  # what is read
    TEXT: pa.large_string(),
    "url": pa.string(),
    "source": pa.string(),
    LANGUAGE: pa.struct([("label", pa.string())]),
}


@dataclass(frozen=True)
class Redactor:
    """The rewriters, in the recipe's order; none where the recipe does not redact."""

    rewriters: tuple[Redacting, ...]

    @classmethod
    def of(cls, run: RunFolder) -> Self:
        """Those of all sources, each distinct one once. Raises InputError for lists of a rewriter that are gone, or a
        missing package."""
        recipe = run.record.recipe
        found = _rewriters(run.record, (*recipe["sources"].values(), recipe["joined"]), _what_is_sought)
        rewriters = list[Redacting]()
        for rewriter in found:
            if rewriter not in rewriters:
                rewriters.append(rewriter)
        return cls(tuple(rewriters))

    def row(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """A document's columns by name, with its text (where that is a string) and what stands beside it redacted."""
        redacted = dict(values)
        for name, value in values.items():
            if name == TEXT and isinstance(value, str):
                redacted[name] = self.text(value, values)
            elif name in (URL, LICENCE):
                redacted[name] = self._beside(name, value)
            elif isinstance(value, dict):
                quotes = {field: self.text(value[field], values) for field in QUOTING if value.get(field)}
                redacted[name] = {**value, **quotes}
        return redacted

    def url(self, url: str | None) -> str | None:
        """A document's URL, redacted."""
        return self._beside(URL, url)

    def _beside(self, name: str, value: str | None) -> str | None:
        column = pa.array([value], pa.string())
        for rewriter in self.rewriters if value else ():
            column = redacted_column(rewriter, name, column)
        redacted: str | None = column[0].as_py()
        return redacted

    def text(self, text: str, values: Mapping[str, Any]) -> str:
        """A text, or a part of one, redacted, or WITHHELD; `values`, of the same document, tell the rewriters its URL
        and language."""
        for rewriter in self.rewriters:
            columns = {**values, TEXT: text}
            reads = (*rewriter.reads, *rewriter.reads_if_there)
            arrays = {name: pa.array([columns.get(name)], kind) for name, kind in KINDS.items() if name in reads}
            ((_, result),) = attempt(rewriter.rewrite, pa.RecordBatch.from_pydict(arrays))
            if isinstance(result, Exception):
                return WITHHELD
            (text,) = result[0].to_pylist()
        return text


def forms_of(record: RunRecord, urls: Sequence[str]) -> dict[str, str]:
    """What the run's redacting stages, of each source, make of URLs: new form -> the URL asked for. A URL in which they
    find nothing has none.

    By these forms a document is found whose original URL is in no file any more. The look-up tables keep no hash of
    that URL, keyed or not, so that no guess of what a placeholder stands for can be confirmed by them. In exchange,
    pages whose URLs differ only in what was replaced are found together. Surrogates tell them apart: each is a keyed
    hash of its value, so that who asks needs the key, where the recipe says that it is. Raises InputError where a URL
    holds a value and the key is missing.
    """
    forms = dict[str, str]()
    for chain in record.recipe["sources"].values():
        column = pa.array(urls, pa.string())
        for rewriter in _rewriters(record, (chain, record.recipe["joined"]), dict):
            column = _with_key(rewriter, column)
        forms |= {new: url for url, new in zip(urls, column.to_pylist(), strict=True) if new != url}
    return forms


def _with_key(rewriter: Redacting, urls: pa.Array) -> pa.Array:
    try:
        return redacted_column(rewriter, URL, urls)
    except InputError as error:
        ask = "ask where it is, or by --doc-id"
        raise InputError(
            f"surrogates took the place of values in such a URL, and need their key; {ask} ({error})"
        ) from error


def _what_is_sought(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options but for those that say what takes a value's place."""
    from curation.models.redaction.redacts import Redacts  # loads kernels, which no other run needs

    actions = {option.name for option in fields(Redacts)}
    return {name: value for name, value in options.items() if name not in actions}


def _rewriters(
    record: RunRecord,
    chains: Iterable[Sequence[Mapping[str, Any]]],
    options_of: Callable[[Mapping[str, Any]], dict[str, Any]],
) -> Iterator[Redacting]:
    """The redacting components of the chains, in order, with what `options_of` makes of their options."""
    document = YamlFile(f"{record.name}: run.json", None, {})
    for stage in (stage for chain in chains for stage in chain):
        for key, options in stage.get(REWRITE.name, {}).items():
            kind = catalog.find(REWRITE, key)
            if issubclass(kind, Redacting):
                yield build(kind, document, (key,), options_of(options))
