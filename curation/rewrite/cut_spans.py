"""Cuts the spans that a dedup method or a filter found in the text as it is now.

    - dedup: {paragraph: {}}                            # or line, or substring: what other documents have too
    - rewrite: {cut_spans: {of: [paragraph]}}
    - filter: {text_left: {}}

    - filter: {contamination: {evalsets: "@evalsets"}}  # what items of evaluation sets have
    - rewrite: {cut_spans: {of: [contamination]}}

Source: Wenzek et al. 2020, "CCNet" (arXiv:1911.00359) for paragraphs and lines, Lee et al. 2022, "Deduplicating
Training Data Makes Language Models Better" (arXiv:2107.06499) for substrings.
Choices the papers leave open: a span is narrowed to whole words and user-perceived characters, and never widened, so
that only what was found is cut; halves of words at its ends stay (`curation/text/edits/cut_places.py`). What was apart
stays apart: the whitespace on both sides of a cut becomes one gap, so that blank lines do not pile up and paragraphs
stay apart, and where there is none a space is put in (`curation/text/edits/cuts.py`). No gap stays at the beginning or
end of a text. Everything else is unchanged, byte by byte.

Spans of several methods that overlap or touch are cut as one. Spans are byte ranges of the text that the method or the
filter read. If a text has another length now, a rewriter ran in between, and the stage fails. A chain has one such
stage: put it after all that find spans, `of: [paragraph, contamination]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.protocols import Rewriter
from curation.text.edits.cut_places import narrowed
from curation.text.edits.cuts import without_spans
from curation.text.kernels.buffers import Indices, text_buffers
from curation.text.merged_spans import merge_spans


@dataclass(frozen=True, kw_only=True)
class CutSpans(Rewriter):
    """The dedup methods and filters whose spans are cut: keys of stages after the last one that changed the text."""

    of: Annotated[tuple[str, ...], "keys of the stages that found passages, such as paragraph"]

    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not self.of or len(set(self.of)) < len(self.of):
            raise RecipeError(
                f"of: expected dedup methods or filters of spans, each once, e.g. [paragraph]; got {list(self.of)}"
            )
        object.__setattr__(self, "reads", (*type(self).reads, *self.of))

    def signal_types(self) -> Signals:
        """The counts of `rewrite`."""
        return dict.fromkeys(("spans", "bytes", "bytes_removed"), pa.int64())

    def check_columns(self, columns: Mapping[str, pa.DataType]) -> None:
        """Raises RecipeError for a column without spans."""
        for key in self.of:
            kind = columns[key]
            if not pa.types.is_struct(kind) or kind.get_field_index("spans") < 0:
                raise RecipeError(
                    f"cut_spans: {key} finds no spans; name a dedup method or a filter that does, such as paragraph"
                )

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (text without its spans, large_string[N]; {count: int64[N]}).

        The counts are the `spans` cut, without those of which nothing was left when they were narrowed, the `bytes`
        before, and the `bytes_removed`, including whitespace around the spans. Raises RecipeError if a column has no
        spans, ValueError if a text's length has changed.
        """
        self.check_columns({key: batch.column(key).type for key in self.of})
        text = batch.column("text")
        _, offsets = text_buffers(text)
        before = np.diff(offsets)
        spans_by_method = [_spans(batch.column(key), key, before) for key in self.of]
        row, start, stop = (np.concatenate(columns) for columns in zip(*spans_by_method, strict=True))
        spans = narrowed(text, merge_spans(row, start, stop, len(text)))
        left = without_spans(text, spans)
        removed = before - np.diff(text_buffers(left)[1])
        counts = {"spans": np.diff(np.asarray(spans.offsets)), "bytes": before, "bytes_removed": removed}
        return left, {name: pa.array(values, pa.int64()) for name, values in counts.items()}


def _spans(column: pa.Array, key: str, text_bytes: Indices) -> tuple[Indices, Indices, Indices]:
    """Row, start and stop, int64[S] each, of a method's spans in texts of `text_bytes` int64[N] bytes."""
    measured = pc.struct_field(column, "text_bytes")
    changed = pc.not_equal(measured, pa.array(text_bytes))
    if pc.any(changed).as_py():
        row = changed.index(True).as_py()
        raise ValueError(
            f"the text had {measured[row]} bytes when {key} found its spans and has {text_bytes[row]} now: put "
            f"cut_spans right after {key}, before any other rewriter"
        )
    lists = pc.struct_field(column, "spans")
    row = np.repeat(np.arange(len(lists)), pc.fill_null(pc.list_value_length(lists), 0))
    bounds = pc.list_flatten(lists)
    start, stop = (pc.struct_field(bounds, name).to_numpy(zero_copy_only=False) for name in ("start", "stop"))
    return row, start, stop
