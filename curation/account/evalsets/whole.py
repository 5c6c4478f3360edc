"""Whether a text holds an item whole: its question, token by token, and its answer close after it."""

import pyarrow as pa

from curation.models.evalsets.index import ANSWER, QUESTION, EvalsetIndex
from curation.text.canonical_tokens import folded_texts

NEAR = 50  # tokens between the end of a question and the beginning of its answer
SHORT = 3  # tokens of an answer that tells nothing: a letter or a number is near any question


def forms(texts: pa.Array) -> list[bytes]:
    """The canonical form of each text, with a blank before each token and at the end."""
    return [b" " + form for form in folded_texts(texts)]


def question_and_answer(index: EvalsetIndex, item: int) -> tuple[bytes, bytes]:
    """The canonical forms of an item's question and answer, empty where it has none."""
    first, part, starts, folded = (index.array(name) for name in ("first", "part", "starts", "folded"))
    begin = int(first[item])
    kinds = part[first[item] : first[item + 1]]
    questions = int((kinds == QUESTION).sum())
    answers = int((kinds == ANSWER).sum())
    bounds = [int(starts[begin + tokens]) for tokens in (0, questions, questions + answers)]
    return folded[bounds[0] : bounds[1]].tobytes(), folded[bounds[1] : bounds[2]].tobytes()


def held(form: bytes, question: bytes, answer: bytes) -> tuple[bool, bool]:
    """Whether a text in the form of `forms` has the question, and in one place the answer at most NEAR tokens after
    it. An empty question, and an answer of up to SHORT tokens, is in no text."""
    at = form.find(b" " + question) if question else -1
    found = at >= 0
    while at >= 0 and answer.count(b" ") > SHORT:
        end = at + len(question)
        place = form.find(b" " + answer, end)
        if place < 0:
            break
        if form.count(b" ", end, place) <= NEAR:
            return True, True
        at = form.find(b" " + question, end)
    return found, False
