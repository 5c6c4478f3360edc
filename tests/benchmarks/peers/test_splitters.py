"""The plain splitters find what the kernels find: otherwise a comparison would be of splitters, not of rules.

Characters that nobody sees are left out: the kernels take a word of these alone for none, and the peers do not.
"""

from hypothesis import given

from benchmarks.peers.splitters import sentence_ends, sentence_spans, words
from curation.text.kernels.unicode import TERMINAL, UNSEEN, class_of, classes
from curation.text.sentences import sentence_spans as compiled_sentences
from curation.text.spans import TextSpans, word_spans
from tests.curation.text.texts import sliced, texts

ENDS = sentence_ends({chr(code) for code in range(0x20000) if class_of(classes(), code) & TERMINAL})


@given(text=texts)
def test_same_as_compiled(text: str) -> None:
    text = "".join(one for one in text if not class_of(classes(), ord(one)) & UNSEEN)
    assert _strings(compiled_sentences(sliced([text]))) == [
        text[start:stop] for start, stop in sentence_spans(text, ENDS)
    ]
    assert _strings(word_spans(sliced([text]))) == words(text)


def _strings(spans: TextSpans) -> list[str]:
    bounds = zip(spans.starts, spans.stops, strict=True)
    return [spans.data[start:stop].tobytes().decode("utf-8", "surrogatepass") for start, stop in bounds]
