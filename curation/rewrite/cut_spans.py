"""Cuts the spans that a dedup method or a filter found in the text as it is now.

    - dedup: {paragraph: {}}                            # or line, or substring: what other documents have too
    - rewrite: {cut_spans: {of: [paragraph]}}
    - filter: {text_left: {}}

    - filter: {contamination: {evalsets: "@evalsets"}}  # what items of evaluation sets have
    - rewrite: {cut_spans: {of: [contamination]}}

Source: Wenzek et al. 2020, "CCNet" (arXiv:1911.00359) for paragraphs and lines, Lee et al. 2022, "Deduplicating
Training Data Makes Language Models Better" (arXiv:2107.06499) for substrings.
Choices the papers leave open: the whitespace on both sides of a cut becomes one gap, so that blank lines do not pile up
and paragraphs stay apart. The gap has the line breaks of the side with more of them, and the indentation of what
follows. No gap stays at the beginning or end of a text. Everything else is unchanged, byte by byte.

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
from curation.text.kernels.blocks import copy_bytes
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import Classes, classes, strip

_NEWLINE = 10
_GAP = 5  # int64s of a gap: bytes [0, 1) up to its last line break, bytes [2, 3) after it, and [4] its line breaks
_BREAKS = 4


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

        The counts are the `spans` cut, the `bytes` before, and the `bytes_removed`, including whitespace around the
        spans. Raises RecipeError if a column has no spans, ValueError if a text's length has changed.
        """
        self.check_columns({key: batch.column(key).type for key in self.of})
        data, offsets = text_buffers(batch.column("text"))
        before = np.diff(offsets)
        spans_by_method = [_spans(batch.column(key), key, before) for key in self.of]
        row, start, stop = (np.concatenate(columns) for columns in zip(*spans_by_method, strict=True))
        order = np.lexsort((start, row))
        first = np.searchsorted(row[order], np.arange(len(offsets)))
        out = np.empty(int(offsets[-1] - offsets[0]), np.uint8)
        ends = np.zeros(len(offsets), np.int64)
        spans = _cut(data, offsets, start[order], stop[order], first, classes(), out, ends)
        counts = {"spans": spans, "bytes": before, "bytes_removed": before - np.diff(ends)}
        return text_array(out[: ends[-1]], ends), {name: pa.array(values) for name, values in counts.items()}


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


@kernel
def _after_breaks(data: Bytes, start: Int, stop: Int) -> Int:
    """The byte after the last line feed of data[start:stop]; `start` if there is none."""
    while stop > start and data[stop - 1] != _NEWLINE:
        stop -= 1
    return stop


@kernel
def _widen(data: Bytes, start: Int, stop: Int, gap: Out[Indices]) -> None:
    """Merge the whitespace data[start:stop], which follows a cut, into the gap before that cut."""
    middle = _after_breaks(data, start, stop)
    breaks = 0
    for at in range(start, middle):
        breaks += data[at] == _NEWLINE
    if start < stop and (breaks > 0 or gap[_BREAKS] == 0):
        gap[2] = middle
        gap[3] = stop
    if breaks > 0 and breaks >= gap[_BREAKS]:
        gap[0] = start
        gap[1] = middle
        gap[_BREAKS] = breaks


@kernel
def _keep(
    data: Bytes,
    start: Int,
    stop: Int,
    cut_before: bool,
    cut_after: bool,
    table: Classes,
    gap: Out[Indices],
    out: Out[Bytes],
    begin: Int,
    to: Int,
) -> Int:
    """Write the piece data[start:stop] between two cuts, with the gap before it. `gap` then holds the whitespace at its
    end."""
    solid, last = strip(data, start, stop, table)
    if solid == last and (cut_before or cut_after):
        _widen(data, start, stop, gap)
        return to
    if not cut_before:
        solid = start
    elif to > begin:
        _widen(data, start, solid, gap)
        to = copy_bytes(data, gap[0], gap[1], out, to)
        to = copy_bytes(data, gap[2], gap[3], out, to)
    gap[:] = 0
    if cut_after:
        _widen(data, last, stop, gap)
    else:
        last = stop
    return copy_bytes(data, solid, last, out, to)


@kernel
def _cut(
    data: Bytes,
    offsets: Indices,
    starts: Indices,
    stops: Indices,
    first: Indices,
    table: Classes,
    out: Out[Bytes],
    ends: Out[Indices],
) -> Indices:
    """Write the texts without their spans, which ascend by start, and ends[d + 1]; returns int64[N], spans cut per
    text."""
    cut = np.zeros(offsets.size - 1, np.int64)
    gap = np.zeros(_GAP, np.int64)
    to: Int = 0
    for document in range(offsets.size - 1):
        begin = to
        at = offsets[document]
        gap[:] = 0
        for span in range(first[document], first[document + 1]):
            start = offsets[document] + starts[span]
            stop = offsets[document] + stops[span]
            if cut[document] == 0 or start > at:
                to = _keep(data, at, start, cut[document] > 0, True, table, gap, out, begin, to)
                cut[document] += 1
            at = max(at, stop)
        to = _keep(data, at, offsets[document + 1], cut[document] > 0, False, table, gap, out, begin, to)
        ends[document + 1] = to
    return cut
