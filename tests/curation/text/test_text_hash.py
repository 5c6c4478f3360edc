"""The hash of a text's normal form: what is the same, what is not, and what has none."""

import pyarrow as pa

from curation.text.text_hash import text_hashes, text_keys


def test_a_known_text() -> None:
    # MurmurHash3 x64 128 of "hello"
    assert text_hashes(pa.array([" Hello\n"])).to_pylist() == ["cbd8a7b341bd9b025b1e906a48ae1d19"]


def test_case_and_white_space_do_not_count_and_all_else_does() -> None:
    found = text_hashes(pa.array(["One  two", "one\u2003TWO ", "one two.", "on etwo"], pa.large_string())).to_pylist()
    assert found[0] == found[1]
    assert len(set(found)) == 3


def test_texts_of_nothing_have_none() -> None:
    texts = pa.chunked_array([["a", None, ""], [" \n\u2028", "A"]], pa.large_string())
    found = text_hashes(texts)
    assert found.type == pa.string()
    assert [one is None for one in found.to_pylist()] == [False, True, True, True, False]
    assert found[0] == found[4]
    assert text_keys(texts)[2].tolist() == [True, False, False, False, True]
    assert text_hashes(pa.array([], pa.large_string())).to_pylist() == []


def test_keys_are_the_halves() -> None:
    hi, lo, _ = text_keys(pa.array(["some text"]))
    assert text_hashes(pa.array(["some text"]))[0].as_py() == f"{int(hi[0]):016x}{int(lo[0]):016x}"
