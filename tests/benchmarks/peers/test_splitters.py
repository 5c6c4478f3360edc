"""The plain splitters find what the kernels find: otherwise a comparison would be of splitters, not of rules."""

import pytest
from hypothesis import given

from benchmarks.peers.splitters import sentence_ends, sentence_spans, words
from curation.text.kernels.unicode import TERMINAL, class_of, classes
from curation.text.sentences import sentence_spans as compiled_sentences
from curation.text.spans import TextSpans, word_spans
from tests.curation.text.texts import sliced, texts

ENDS = sentence_ends({chr(code) for code in range(0x20000) if class_of(classes(), code) & TERMINAL})


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("One. Two! Three?", ["One.", "Two!", "Three?"], id="marks"),
        pytest.param("Pi is 3.14 or so", ["Pi is 3.14 or so"], id="a mark without whitespace after it"),
        pytest.param('He said "go." Then left', ['He said "go."', "Then left"], id="a quotation mark after the mark"),
        pytest.param("a\n\n b ", ["a", "b"], id="line breaks"),
        pytest.param("好。坏。", ["好。", "坏。"], id="wide marks need no whitespace"),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:stop] for start, stop in sentence_spans(text, ENDS)] == sentences


@given(text=texts)
def test_same_as_compiled(text: str) -> None:
    assert _strings(compiled_sentences(sliced([text]))) == [
        text[start:stop] for start, stop in sentence_spans(text, ENDS)
    ]
    assert _strings(word_spans(sliced([text]))) == words(text)


def _strings(spans: TextSpans) -> list[str]:
    bounds = zip(spans.starts, spans.stops, strict=True)
    return [spans.data[start:stop].tobytes().decode("utf-8", "surrogatepass") for start, stop in bounds]
