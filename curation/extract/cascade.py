"""Takes main text in two steps: a fast parser reads every page, a careful one only those whose fast text passes rules.

    - extract:
        cascade:
          first: {resiliparse: {}}
          judge: {language: {languages: [en], min_score: 0.4}, gopher_quality: {min_words: 30}}
          then: {trafilatura: {focus: precision, fast: true, min_fast_characters: 500}}

The rule sets in `judge` measure the text of `first` in this order and drop what breaks a limit, each with its own
reason. The recipe should set these limits looser than those that the final text must meet, because the fast text is
less exact. A dropped page keeps its fast text; any other page gets the text of `then`, or its reason for having none.
The column `extract` says which parser a row's text is from (`parser`) and holds one struct of signals per rule set. A
fast text of fewer than `min_characters`, or one that is only the page's visible prose because the fast parser found
next to nothing, tells too little: the page goes on to `then` whatever was measured.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Keyed, Signals, struct_type
from curation.core.document import kept_mask
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.judging import judge
from curation.core.protocols import Extractor
from curation.core.reasons import extract_reason
from curation.core.verbs import EXTRACT, FILTER, Verb
from curation.extract.pages import FELL_BACK, PARSER, SIGNALS

THEN = "then."  # before the cause of a page caught in the second parser: a repetition must still read it with the first


@dataclass(frozen=True, kw_only=True)
class Cascade(Extractor):
    """One extractor, the rule sets that judge its text, and the extractor for what they let pass; each by its key."""

    first: Annotated[Mapping[str, Extractor], "the extractor that reads every page"]
    judge: Annotated[Mapping[str, Filter], "filters whose limits its text must pass"]
    then: Annotated[Mapping[str, Extractor], "the extractor for these pages"]
    min_characters: Annotated[int, "of a fast text that may drop its page"] = 100

    holds: ClassVar[Mapping[str, Verb]] = {"first": EXTRACT, "judge": FILTER, "then": EXTRACT}
    version: ClassVar[int] = 2  # raised when the same components give another text or verdict

    def __post_init__(self) -> None:
        if any(isinstance(parser, Cascade) for parser in (*self.first.values(), *self.then.values())):
            raise RecipeError("a cascade has two parsers: neither may be a cascade itself")
        if any(parser.media != self.media for parser in (*self.first.values(), *self.then.values())):
            raise RecipeError(
                "both parsers of a cascade read pages: PDF files are read by `extract: {pdfium: {}}` alone"
            )
        reserved = [key for key in self.judge if key in SIGNALS.names]
        if reserved:
            raise RecipeError(
                f"no rule set of a cascade can be called {reserved[0]}: the column `extract` has one already"
            )

    def signal_types(self) -> Signals:
        """What the fast parser says of a page, and a struct for each rule set."""
        first = _sole(self.first)
        judged = {key: struct_type(rule_set.signal_types()) for key, rule_set in self.judge.items()}
        return {**first.signal_types(), **judged}

    def judging(self) -> Keyed[Filter]:
        """The rule sets of `judge`."""
        return tuple(self.judge.items())

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """As `curation.core.protocols.Extractor` states; the cause of a page caught by `then` begins with "then."."""
        first = _sole(self.first)
        then = _sole(self.then)
        of_first = {doc_id: cause for doc_id, cause in caught.items() if not cause.startswith(THEN)}
        of_then = {doc_id: cause.removeprefix(THEN) for doc_id, cause in caught.items() if cause.startswith(THEN)}
        fast = first.extract(pages, of_first, on_caught)
        judged = self._judged(fast)
        read_again = pc.or_(kept_mask(judged), self._says_little(fast))
        careful = then.extract(pages.filter(read_again), of_then, lambda doc_id, cause: on_caught(doc_id, THEN + cause))
        return self._merged(judged, careful, read_again)

    def _says_little(self, fast: pa.RecordBatch) -> pa.Array:
        """bool[N]: the pages of which the fast parser found too little text to judge."""
        fell_back = pc.fill_null(pc.match_substring(fast.column("extract").field(PARSER), FELL_BACK), False)
        nothing = pc.fill_null(pc.equal(fast.column("drop_reason"), extract_reason("empty")), False)
        length = pc.fill_null(pc.utf8_length(fast.column("text")), 0)
        short = pc.and_(pc.or_(kept_mask(fast), nothing), pc.less(length, self.min_characters))
        return pc.or_(short, fell_back)

    def _judged(self, fast: pa.RecordBatch) -> pa.RecordBatch:
        """The documents with what the rule sets measured and their reasons, all signals inside `extract`."""
        batch = fast
        for keyed in self.judging():
            batch = judge((keyed,), batch)  # one by one: limits by language need the language's column
        head = fast.column("extract")
        columns = {name: head.field(name) for name in head.type.names}
        columns |= {name: batch.column(name) for name in self.judge}
        extract = pa.StructArray.from_arrays(list(columns.values()), names=list(columns), mask=head.is_null())
        return _with(fast, extract=extract, drop_reason=batch.column("drop_reason"))

    def _merged(self, judged: pa.RecordBatch, careful: pa.RecordBatch, read_again: pa.Array) -> pa.RecordBatch:
        """The judged rows; those in `read_again`, bool[N], have text and reason from the careful parser."""
        rows = np.full(len(judged), -1, np.int64)
        rows[np.flatnonzero(read_again)] = np.arange(len(careful))
        again = careful.take(pa.array(rows, mask=rows < 0))
        head = judged.column("extract")
        columns = {name: head.field(name) for name in head.type.names}
        columns[PARSER] = pc.if_else(read_again, again.column("extract").field(PARSER), columns[PARSER])
        return _with(
            judged,
            text=pc.if_else(read_again, again.column("text"), judged.column("text")),
            drop_reason=pc.if_else(read_again, again.column("drop_reason"), judged.column("drop_reason")),
            extract=pa.StructArray.from_arrays(list(columns.values()), names=list(columns), mask=head.is_null()),
        )


def _sole(by_key: Mapping[str, Extractor]) -> Extractor:
    (extractor,) = by_key.values()
    return extractor


def _with(batch: pa.RecordBatch, **columns: pa.Array) -> pa.RecordBatch:
    """The batch with some columns in place of its own of that name."""
    values = dict(zip(batch.schema.names, batch.columns, strict=True)) | columns
    return pa.RecordBatch.from_pydict(values)
