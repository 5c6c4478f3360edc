"""Stop words are whole words of the document's own group, in any case where that is asked for."""

import numpy as np
import pyarrow as pa

from curation.text.languages.stop_words import count_stop_words

GERMAN = ("der", "und", "über")
GREEK = ("και", "το")


def counted(texts: list[str], groups: list[int], *, any_case: bool = True) -> tuple[list[int], list[int]]:
    array = pa.array(texts, pa.large_string())
    total, different = count_stop_words(array, np.array(groups, np.int64), (GERMAN, GREEK), any_case=any_case)
    return total.tolist(), different.tolist()


def test_each_document_has_the_words_of_its_group() -> None:
    texts = ["der und der", "και το der", "der und", "", "undo der, ΚΑΙ"]
    assert counted(texts, [0, 1, -1, 0, 1]) == ([3, 2, 0, 0, 1], [2, 2, 0, 0, 1])


def test_case() -> None:
    texts = ["Der ÜBER Über und", "ΤΟ και"]
    assert counted(texts, [0, 1]) == ([4, 2], [3, 2])
    assert counted(texts, [0, 1], any_case=False) == ([1, 1], [1, 1])


def test_no_documents() -> None:
    assert counted([], []) == ([], [])
