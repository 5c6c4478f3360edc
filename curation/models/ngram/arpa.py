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
import pyarrow as pa
import pyarrow.compute as pc

from curation.models.ngram.arpa_kernels import parse_ngrams, parse_unigrams
from curation.models.ngram.counts import Rows
from curation.models.ngram.estimate import BackoffModel, Logarithms
from curation.models.ngram.reading import SPECIAL
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.compiler.kernel import Grid, Int
from curation.text.phrases.string_set import entries_of

HEADER = b"# winnow "
_AT_ONCE = 1 << 18  # n-grams written at a time
MOST_ORDER = 16  # words of an n-gram; KenLM reads up to 6
_SHORTEST = 4  # bytes of an n-gram's line
_COUNTS = re.compile(rb"(?:^|\n)\\data\\[ \t\r]*\n((?:ngram[ \t]+\d+[ \t]*=[ \t]*\d+[ \t\r]*\n)+)")
_COUNT = re.compile(rb"ngram[ \t]+(\d+)[ \t]*=[ \t]*(\d+)")


def write_arpa(model: BackoffModel, facts: Mapping[str, object]) -> Iterator[bytes]:
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
    try:
        facts = json.loads(line[len(HEADER) :])
    except RecursionError as error:
        raise ValueError("its first line is nested too deeply") from error
    if not isinstance(facts, dict):
        raise ValueError("its first line is no JSON object")
    return facts


def read_arpa(content: bytes) -> BackoffModel:
    """Raises ValueError if the content is no ARPA file, or damaged."""
    counts, at = sizes(content)
    if sum(counts) * _SHORTEST > len(content):
        raise ValueError("it is cut short")
    words, values, at = _unigrams(content, at, counts[0])
    known = entries_of(*text_buffers(words))
    rows = [np.arange(len(words), dtype=np.uint32)[:, None]]
    all_values = [values]
    for order, count in enumerate(counts[1:], 2):
        at = _section(content, at, order)
        grams = np.empty((count, order), np.uint32)
        values = np.zeros((2, count), np.float32)
        at = _whole(order, count, *parse_ngrams(np.frombuffer(content, np.uint8), at, known, grams, *values))
        rows = [*rows, grams]
        all_values = [*all_values, values]
    if content[at:].split(maxsplit=1)[:1] != [b"\\end\\"]:
        raise ValueError("it has no \\end\\ after its n-grams: it is cut short, or they are more than it says")
    probabilities, backoffs = zip(*all_values, strict=True)
    return BackoffModel(words, tuple(rows), probabilities, backoffs)


def sizes(start: bytes) -> tuple[list[int], int]:
    """How many n-grams of each order a file says that it has, and where in its `start` that ends. Raises ValueError if
    it does not say so."""
    head = _COUNTS.search(start)
    if head is None:
        raise ValueError("it has no \\data\\ section with the numbers of n-grams")
    orders, counts = zip(*((int(order), int(count)) for order, count in _COUNT.findall(head[1])), strict=True)
    if orders != tuple(range(1, len(orders) + 1)):
        raise ValueError("its \\data\\ section does not list the orders 1, 2, 3 …")
    if len(orders) > MOST_ORDER:
        raise ValueError(f"it has n-grams of {len(orders):,} words, more than {MOST_ORDER}")
    return list(counts), head.end()


def _unigrams(content: bytes, at: int, count: int) -> tuple[pa.Array, Grid[Logarithms], int]:
    """large_binary[count] the words, their values float32[2, count], and where the section ends."""
    at = _section(content, at, 1)
    spans = np.empty((2, count), np.int64)
    values = np.zeros((2, count), np.float32)
    at = _whole(1, count, *parse_unigrams(np.frombuffer(content, np.uint8), at, *spans, *values))
    words = [content[start:stop] for start, stop in spans.T.tolist()]
    if len(set(words)) < count or not {name.encode() for name in SPECIAL} <= set(words):
        raise ValueError(f"its words do not differ, or {', '.join(SPECIAL)} are not all among them")
    return pa.array(words, pa.large_binary()), values, at


def _whole(order: int, count: int, at: Int, row: int) -> int:
    """Where an order's n-grams end. Raises ValueError if the `row`-th is broken."""
    if row < count:
        raise ValueError(
            f"number {row + 1:,} of its {count:,} {order}-grams is broken, or has a word that is no unigram"
        )
    return int(at)


def _section(content: bytes, at: int, order: int) -> int:
    """Where the n-grams of an order begin."""
    heading = re.compile(rb"\s*\\%d-grams:[ \t\r]*\n" % order).match(content, at)
    if heading is None:
        raise ValueError(f"its {order}-grams do not begin where those before end: they are fewer or more than it says")
    return heading.end()


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
