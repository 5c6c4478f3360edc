"""ARPA files: read back as written, in the form that everyone reads, and refused if damaged."""

import pytest
from hypothesis import given

from curation.models.ngram.arpa import read_arpa, read_facts, write_arpa
from curation.models.ngram.estimate import BackoffModel
from tests.curation.models.ngram.slow_model import corpora, model_of, orders, values_of


def written(model: BackoffModel, **facts: object) -> bytes:
    return b"".join(write_arpa(model, facts))


SMALL = written(model_of(["a b\na c"], 2), order=2)


def test_the_form() -> None:
    lines = SMALL.decode().split("\n")
    assert lines[0] == '# winnow {"order": 2}'
    assert lines[1:5] == ["\\data\\", "ngram 1=6", "ngram 2=5", ""]
    assert lines[5] == "\\1-grams:"
    assert lines[6] == "-1\t<unk>\t0"
    assert lines[7] == "0\t<s>\t-0.30103"
    assert lines[12:14] == ["", "\\2-grams:"]
    assert sorted(line.split("\t")[1] for line in lines[14:19]) == ["<s> a", "a b", "a c", "b </s>", "c </s>"]
    assert all(line.count("\t") == 1 for line in lines[14:19])
    assert lines[19:] == ["", "\\end\\", ""]


@given(corpora, orders)
def test_a_file_is_read_back_to_the_bit(texts: list[str], order: int) -> None:
    model = model_of(texts, order)
    content = written(model, note="ä\n")
    again = read_arpa(content)
    assert values_of(again) == values_of(model)
    assert written(again, note="ä\n") == content
    assert read_facts(content) == {"note": "ä\n"}


def test_a_file_from_elsewhere() -> None:
    """As SRILM writes: text before the data, no weight where it is 0, tabs and spaces."""
    text = "made by hand\n\n\\data\\\nngram  1=4\nngram  2=1\n\n"
    unigrams = "\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.5\n-0.5 </s>\n-0.7 a -0.1\n\n"
    model = read_arpa(f"{text}{unigrams}\\2-grams:\n-0.2\t<s> a\n\n\\end\\\n".encode())
    assert read_facts(text.encode()) is None
    assert values_of(model)["<s>", "a"] == pytest.approx((-0.2, 0))
    assert values_of(model)["a",] == pytest.approx((-0.7, -0.1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", r"has no \\data\\ section", id="empty"),
        pytest.param(b"mmap lm http://kheafield.com/code", r"has no \\data\\ section", id="another kind of file"),
        pytest.param(SMALL[: SMALL.index(b"\\2-grams")], "its 2-grams do not begin where", id="cut before an order"),
        pytest.param(SMALL[:-40], "of its 5 2-grams is broken", id="cut within an order"),
        pytest.param(SMALL[:-6], r"has no \\end\\", id="cut before the end"),
        pytest.param(SMALL.replace(b"ngram 2=5", b"ngram 2=4"), r"has no \\end\\", id="more than it says"),
        pytest.param(
            SMALL.replace(b"ngram 1=6", b"ngram 1=5"), "its 2-grams do not begin", id="more words than it says"
        ),
        pytest.param(SMALL.replace(b"ngram 2=5", b"ngram 2=6"), "number 6 of its 6 2-grams", id="fewer than it says"),
        pytest.param(SMALL.replace(b"ngram 2=5", b"ngram 2=999999999"), "cut short", id="impossibly many"),
        pytest.param(SMALL.replace(b"ngram 2=", b"ngram 3="), "does not list the orders", id="an order is missing"),
        pytest.param(
            SMALL.replace(b"ngram 2=5\n", b"".join(b"ngram %d=0\n" % order for order in range(2, 18))),
            "it has n-grams of 17 words, more than 16",
            id="longer than any",
        ),
        pytest.param(SMALL.replace(b"\tb\t", b"\td\t"), "is broken, or has a word that is no unigram", id="a word"),
        pytest.param(SMALL.replace(b"\tb\t", b"\ta\t"), "its words do not differ", id="a word twice"),
        pytest.param(SMALL.replace(b"<unk>", b"<UNK>"), "are not all among them", id="no unknown word"),
        pytest.param(SMALL.replace(b"\n-", b"\n", 1), "number 1 of its 6 1-grams is broken", id="above 1"),
    ],
)
def test_a_damaged_file_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_arpa(content)


@pytest.mark.parametrize("start", [b"# winnow {", b"# winnow 1\n", b"# winnow []\n", b"# winnow " + b"[" * 100_000])
def test_a_broken_first_line(start: bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting|no JSON object|nested too deeply"):
        read_facts(start)
