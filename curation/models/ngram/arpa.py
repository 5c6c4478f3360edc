r"""Reads and writes back-off models as ARPA files, with how the model reads text in a line before the model.

That line is "# winnow " and JSON; KenLM skips lines before \data\ that begin with "#". Everything else is what lmplz
writes: log10 probabilities and back-off weights as the shortest decimals that give the same float32.

A file to read may come from elsewhere. It must have each n-gram's words as unigrams, `<unk>` among them, and each
n-gram without its first and without its last word, as lmplz and SRILM without pruning write them.
"""

import json
import re
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.models.ngram.arpa_kernels import parse_ngrams, parse_unigrams
from curation.models.ngram.counts import Rows
from curation.models.ngram.estimate import Logarithms, Model
from curation.models.ngram.reading import SPECIAL
from curation.text.kernels.buffers import text_buffers
from curation.text.phrases.string_set import entries_of

HEADER = b"# winnow "
_AT_ONCE = 1 << 18  # n-grams written at a time
_COUNTS = re.compile(rb"(?:^|\n)\\data\\[ \t\r]*\n((?:ngram[ \t]+\d+[ \t]*=[ \t]*\d+[ \t\r]*\n)+)")
_COUNT = re.compile(rb"ngram[ \t]+(\d+)[ \t]*=[ \t]*(\d+)")


def write_arpa(model: Model, facts: Mapping[str, object]) -> Iterator[bytes]:
    """The file's content, piece by piece; `facts` are what `read_facts` gives back."""
    yield HEADER + json.dumps(dict(facts), ensure_ascii=False).encode() + b"\n"
    counts = "".join(f"ngram {order}={len(rows)}\n" for order, rows in enumerate(model.rows, 1))
    yield f"\\data\\\n{counts}\n".encode()
    for order, (rows, *values) in enumerate(zip(model.rows, model.probabilities, model.backoffs, strict=True), 1):
        yield f"\\{order}-grams:\n".encode()
        for first in range(0, len(rows), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            lines = [_decimals(values[0][part]), _joined(model.words, rows[part])]
            lines += [_decimals(values[1][part])] if order < model.order else []
            data, offsets = text_buffers(_between(b"\n", _between(b"\t", *lines), _bytes(b"")))
            yield data[offsets[0] : offsets[-1]].tobytes()
        yield b"\n"
    yield b"\\end\\\n"


def read_facts(start: bytes) -> dict[str, object] | None:
    """What the first line of a file says of the model; None if the file has no such line. Raises ValueError if it is
    broken. `start`: the file's first bytes, the whole line at least."""
    if not start.startswith(HEADER):
        return None
    line = start.partition(b"\n")[0]
    facts = json.loads(line[len(HEADER) :])
    if not isinstance(facts, dict):
        raise ValueError("its first line is no JSON object")
    return facts


def read_arpa(content: bytes) -> Model:
    """Raises ValueError if the content is no ARPA file, or damaged."""
    head = _COUNTS.search(content)
    if head is None:
        raise ValueError("it has no \\data\\ section with the numbers of n-grams")
    counts = [(int(order), int(count)) for order, count in _COUNT.findall(head[1])]
    if [order for order, _ in counts] != list(range(1, len(counts) + 1)):
        raise ValueError("its \\data\\ section does not list the orders 1, 2, 3 …")
    if sum(count for _, count in counts) * 6 > len(content):
        raise ValueError("it is cut short")
    data, at = np.frombuffer(content, np.uint8), head.end()
    words, offsets, probabilities, backoffs, at = _unigrams(data, content, at, counts[0][1])
    known = entries_of(words, offsets)
    rows, probability, backoff = [np.arange(counts[0][1], dtype=np.uint32)[:, None]], [probabilities], [backoffs]
    for order, count in counts[1:]:
        at = _section(content, at, order)
        grams, values = np.empty((count, order), np.uint32), np.zeros((2, count), np.float32)
        at, row = parse_ngrams(data, at, known, grams, values[0], values[1])
        if row < count:
            raise _broken(order, row, count)
        rows, probability, backoff = [*rows, grams], [*probability, values[0]], [*backoff, values[1]]
    if content[at:].split(maxsplit=1)[:1] != [b"\\end\\"]:
        raise ValueError("it has no \\end\\ after its n-grams: it is cut short, or they are more than it says")
    bytes_of = pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(words)])
    return Model(bytes_of, tuple(rows), tuple(probability), tuple(backoff))


def _unigrams(
    data: npt.NDArray[np.uint8], content: bytes, at: int, count: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], Logarithms, Logarithms, int]:
    """Bytes and offsets of the words, their values, and where the section ends."""
    at = _section(content, at, 1)
    spans, values = np.empty((2, count), np.int64), np.zeros((2, count), np.float32)
    at, row = parse_unigrams(data, at, spans[0], spans[1], values[0], values[1])
    if row < count:
        raise _broken(1, row, count)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(spans[1] - spans[0], out=offsets[1:])
    words = [content[start:stop] for start, stop in spans.T.tolist()]
    if len(set(words)) < count or not {name.encode() for name in SPECIAL} <= set(words):
        raise ValueError(f"its words do not differ, or {', '.join(SPECIAL)} are not all among them")
    return np.frombuffer(b"".join(words), np.uint8), offsets, values[0], values[1], at


def _section(content: bytes, at: int, order: int) -> int:
    """Where the n-grams of an order begin."""
    heading = re.compile(rb"\s*\\%d-grams:[ \t\r]*\n" % order).match(content, at)
    if heading is None:
        raise ValueError(f"its {order}-grams do not begin where those before end: they are fewer or more than it says")
    return heading.end()


def _broken(order: int, row: int, count: int) -> ValueError:
    return ValueError(f"number {row + 1:,} of its {count:,} {order}-grams is broken, or has a word that is no unigram")


def _decimals(values: Logarithms) -> pa.Array:
    return pa.array(values).cast(pa.large_string()).view(pa.large_binary())


def _joined(words: pa.Array, rows: Rows) -> pa.Array:
    """large_binary[R]: the words of each n-gram, first word first, with spaces between."""
    columns = [words.take(pa.array(rows[:, k])) for k in reversed(range(rows.shape[1]))]
    return _between(b" ", *columns)


def _between(separator: bytes, *columns: pa.Array | pa.Scalar) -> pa.Array:
    """large_binary[R]: the columns' values with the separator between them."""
    return pc.binary_join_element_wise(*columns, _bytes(separator))


def _bytes(value: bytes) -> pa.Scalar:
    return pa.scalar(value, pa.large_binary())
