"""Names: bytes that are not UTF-8 as text, one to one, and back."""

import os
from itertools import product
from pathlib import Path

import pytest

from curation.core.names import argument_text, has_escape, name_text, system_name, whole_text, whole_texts


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(b"plain.log", "plain.log", id="ASCII"),
        pytest.param("café.log".encode(), "café.log", id="UTF-8"),
        pytest.param("café.log".encode("latin-1"), r"caf\xe9.log", id="Latin-1"),
        pytest.param(b"a\xff\x80b", r"a\xff\x80b", id="bytes that are nothing"),
        pytest.param(rb"caf\xe9.log", r"caf\x5cxe9.log", id="an escape in the name itself"),
        pytest.param(rb"a\x5cb", r"a\x5cx5cb", id="an escaped escape in it"),
        pytest.param(rb"a\xE9\x41\d", r"a\xE9\x41\d", id="backslashes that stand for no byte"),
        pytest.param(b"100%41\n\x1b[31m", "100%41\n\x1b[31m", id="control characters stay"),
    ],
)
def test_a_name_as_text(name: bytes, text: str) -> None:
    assert name_text(os.fsdecode(name)) == text
    assert os.fsencode(system_name(text)) == name
    assert has_escape(text) == (text != os.fsdecode(name))


def test_different_names_are_different_texts_that_lead_back() -> None:
    parts = (b"\\", b"x", b"5c", b"e9", b"\xe9", b"\xc3\xa9")
    names = {b"".join(some) for length in range(1, 6) for some in product(parts, repeat=length)}
    texts = {name_text(os.fsdecode(name)): name for name in names}
    assert len(texts) == len(names)
    assert all(os.fsencode(system_name(text)) == name and text.encode() for text, name in texts.items())


def test_half_characters_of_names_are_their_bytes() -> None:
    assert name_text("a\ud800b") == r"a\xed\xa0\x80b"


def test_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / r"a\xe9").touch()
    given = [os.fsdecode(b"caf\xe9"), r"caf\xe9", r"a\xe9", r"select '\xe9'"]
    assert [argument_text(one) for one in given] == [r"caf\xe9", r"caf\xe9", r"a\x5cxe9", r"select '\xe9'"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [("a", "a"), ("é", "é"), ("x\ud800y", "x\ufffdy"), ("\udc80", "\ufffd"), ("\ud83d\ude00", "\U0001f600")],
    ids=["ASCII", "others", "a first half", "a second half", "two halves"],
)
def test_half_characters_of_texts(text: str, whole: str) -> None:
    assert whole_text(text) == whole
    assert whole_texts([{text: (text, 1)}]) == [{whole: [whole, 1]}]
