"""Files of fastText models: what is read, and what is refused. Scores that follow from them: test_fasttext.py."""

import struct
from itertools import pairwise
from pathlib import Path

import fasttext
import numpy as np
import pytest

from curation.models.fasttext.classifier import EMBEDDED, locate
from curation.models.fasttext.model_file import _quantized, _Reader, parse
from tests.curation.models.fasttext.training import train_supervised
from tests.support import table


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("model")
    (folder / "train.txt").write_text("__label__sweet sugar honey\n__label__sour lemon\n" * 20)
    train_supervised(folder / "train.txt", folder / "model.bin", epoch=1, dim=4, minn=2, maxn=3, bucket=50)
    return (folder / "model.bin").read_bytes()


def test_a_plain_model(content: bytes, tmp_path: Path) -> None:
    model = parse(content)
    words = bytes(model.words).decode()
    offsets = model.word_offsets.tolist()
    assert {words[a:b] for a, b in pairwise(offsets)} == {"</s>", "sugar", "honey", "lemon"}
    assert set(model.labels) == {"__label__sweet", "__label__sour"}
    assert model.label_counts.tolist() == [20, 20]
    assert (model.loss, model.min_ngram, model.max_ngram, model.word_ngrams) == ("softmax", 2, 3, 1)
    assert model.buckets.tolist() == list(range(4, 54))
    (tmp_path / "model.bin").write_bytes(content)
    library = fasttext.load_model(str(tmp_path / "model.bin"))
    assert np.array_equal(model.input, library.f.getInputMatrix())
    assert np.array_equal(model.output, library.f.getOutputMatrix())


def test_the_embedded_compressed_model() -> None:
    path = locate(EMBEDDED)
    model = parse(Path(path).read_bytes())
    library = fasttext.load_model(path)
    assert (len(model.labels), model.input.shape, model.buckets.shape) == (176, (50_000, 16), (2_000_000,))
    for row in (0, 4711, 49_999):
        expected = fasttext.FastText.fasttext.Vector(16)
        library.f.getInputVector(expected, row)
        assert np.array_equal(model.input[row], np.array(expected))


def test_a_bucket_beyond_the_matrix_is_refused(content: bytes) -> None:
    buckets = content.index((50).to_bytes(4, "little"), 8)  # how many there are: one more than there are rows for
    with pytest.raises(ValueError, match="names rows that it does not have"):
        parse(content[:buckets] + (51).to_bytes(4, "little") + content[buckets + 4 :])


@pytest.mark.parametrize("stated", [(1 << 25) + 1, -1])
def test_buckets_beyond_all_sense_take_no_memory(content: bytes, stated: int) -> None:
    buckets = content.index((50).to_bytes(4, "little"), 8)
    with pytest.raises(ValueError, match="buckets of n-grams, more than the 33,554,432"):
        parse(content[:buckets] + stated.to_bytes(4, "little", signed=True) + content[buckets + 4 :])


def test_a_file_cut_short_anywhere_is_refused(content: bytes) -> None:
    for size in range(0, len(content), 37):
        with pytest.raises(ValueError, match="cut short"):
            parse(content[:size])


@pytest.mark.parametrize(("longest", "word_ngrams"), [(3, 1), (0, 2)])
def test_ngrams_without_a_bucket_are_refused(longest: int, word_ngrams: int) -> None:
    shape = struct.pack("<12i", 2, 5, 1, 1, 5, word_ngrams, 3, 3, 0, min(longest, 1), longest, 100)
    names = b"".join(
        name + b"\0" + struct.pack("<qb", 5, kind) for name, kind in ((b"a", 0), (b"__label__a", 1), (b"__label__b", 1))
    )
    matrix = b"\0" + struct.pack("<qq", 2, 2) + np.ones((2, 2), "<f4").tobytes()
    counts = struct.pack("<iiiqq", 3, 1, 2, 10, -1)
    content = struct.pack("<ii", 793712314, 12) + shape + struct.pack("<d", 1e-4) + counts + names + matrix + matrix
    with pytest.raises(ValueError, match="no buckets for them"):
        parse(content)


@pytest.mark.parametrize(
    ("width", "lengths", "told"), [(2, 0, "no lengths for its rows"), (0, 1, "differ in number"), (1, 1, "differ")]
)
def test_a_compressed_matrix_whose_parts_do_not_fit_is_refused(width: int, lengths: int, told: str) -> None:
    """One row of four columns in two codes, and its length."""
    content = (
        struct.pack("<?qqi", True, 1, 4, 2) + b"\0\1" + struct.pack("<4i", 4, 2, width, width) + bytes(4 * 4 * 256)
    )
    content += b"\7" + struct.pack("<4i", lengths, 1, 1, 1) + bytes(4 * 256 * lengths)
    with pytest.raises(ValueError, match=told):
        _quantized(_Reader(content))


# Where the numbers of the header lie; the file of `content` begins with them.
WORD_NGRAMS, LOSS, MIN_NGRAM, MAX_NGRAM, NAMES, WORDS, PRUNED = (8 + 4 * k for k in (5, 6, 9, 10, 14, 15, 19))


@table(
    "place, value, message",
    {
        "n-grams of too many words": (WORD_NGRAMS, 65, "n-grams of 65 words and 2 to 3 characters, more than the 64"),
        "n-grams of fewer than no words": (WORD_NGRAMS, -1, "n-grams of -1 words"),
        "n-grams of too many characters": (MAX_NGRAM, 2**31 - 1, "2 to 2,147,483,647 characters"),
        "n-grams from fewer than no characters": (MIN_NGRAM, -2, "-2 to 3 characters"),
        "more words than names": (WORDS, 7, "more words than names, or fewer than none"),
        "fewer than no words": (WORDS, -1, "more words than names, or fewer than none"),
        "no labels": (WORDS, 6, "names rows that it does not have"),
        "fewer names than none": (NAMES, -1, "more words than names, or fewer than none"),
        "more names than bytes": (NAMES, 2**31 - 1, "cut short"),
    },
)
def test_numbers_that_a_header_makes_up(content: bytes, place: int, value: int, message: str) -> None:
    changed = content[:place] + struct.pack("<i", value) + content[place + 4 :]
    with pytest.raises(ValueError, match=message):
        parse(changed)


def test_buckets_that_are_left_must_have_rows(content: bytes) -> None:
    """One bucket is left, number 3, with the row after those of the 4 words and 50 buckets."""
    names = content.index(b"__label__")
    stop = content.index(b"\0", content.index(b"__label__", names + 1)) + 10
    pruned = content[:PRUNED] + struct.pack("<q", 1) + content[PRUNED + 8 : stop]
    for row, refused in ((49, False), (50, True), (2**31 - 1, True)):
        changed = pruned + struct.pack("<ii", 3, row) + content[stop:]
        if refused:
            with pytest.raises(ValueError, match="names n-grams that it does not have"):
                parse(changed)
        else:
            assert parse(changed).buckets[3] == 4 + row


@pytest.mark.parametrize(
    ("count", "refused"), [(10**15 - 21, False), (10**15 - 20, True), (-1, True), (2**63 - 1, True)]
)
def test_examples_of_labels_stay_below_fasttext_s_infinity(content: bytes, count: int, refused: bool) -> None:
    """Above it the tree of labels would name nodes that there are not."""
    at = content.index(b"\0", content.index(b"__label__")) + 1
    changed = content[:at] + struct.pack("<q", count) + content[at + 8 :]
    if refused:
        with pytest.raises(ValueError, match="impossible numbers of examples"):
            parse(changed)
    else:
        assert count in parse(changed).label_counts


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite(content: bytes, value: float) -> None:
    with pytest.raises(ValueError, match="numbers that are not finite"):
        parse(content[:-4] + struct.pack("<f", value))


@pytest.mark.parametrize(
    ("rows", "columns", "told"),
    [
        (1 << 20, 1 << 20, "1,048,576 times 1,048,576"),
        (0, 1 << 60, "0 times"),
        (1, 0, "1 times 0"),
        (-1, -4, "-1 times"),
    ],
)
def test_a_compressed_matrix_that_takes_all_memory(rows: int, columns: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        _quantized(_Reader(struct.pack("<?qqi", False, rows, columns, 0)))
