"""Headers of classifier files: what is packed comes back, and damage is noticed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from curation.models.classifier import metadata as module
from curation.models.classifier.metadata import Metadata, packed, unpacked

LOGISTIC = Metadata(kind="logistic", labels=("bad", "gut"), positive="gut", language="de", options={"ngrams": 2})
FASTTEXT = replace(LOGISTIC, kind="fasttext", normalization="lowercase", options={})


@pytest.mark.parametrize("own", [LOGISTIC, FASTTEXT], ids=lambda own: own.kind)
def test_what_is_packed_comes_back(own: Metadata) -> None:
    assert unpacked(packed(own, b"\0weights\n")) == (own, b"\0weights\n")


def test_a_fasttext_file_begins_as_fasttext_wrote_it() -> None:
    assert packed(FASTTEXT, b"model").startswith(b"model")


def test_a_file_of_another_program_is_left_as_it_is() -> None:
    assert unpacked(b"something else") == (None, b"something else")


@pytest.mark.parametrize("own", [LOGISTIC, FASTTEXT], ids=lambda own: own.kind)
def test_a_changed_byte_is_noticed(own: Metadata) -> None:
    content = bytearray(packed(own, b"12345678"))
    content[content.index(b"5")] = 0
    with pytest.raises(ValueError, match=r"differs from its checksum|header is damaged"):
        unpacked(bytes(content))


@pytest.mark.parametrize("size", [16, 18, 20, 25, 200])
def test_a_file_cut_short(size: int) -> None:
    with pytest.raises(ValueError, match=r"cut short|header is damaged|checksum"):
        unpacked(packed(LOGISTIC, b"w" * 100)[:size])


def test_a_fasttext_file_with_a_wrong_size() -> None:
    with pytest.raises(ValueError, match="header is damaged"):
        unpacked(b"{}\xff\0\0\0" + module.FASTTEXT)


def test_another_format(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(LOGISTIC, b"")
    monkeypatch.setattr(module, "FORMAT", 2)
    with pytest.raises(ValueError, match="it has format 1, this winnow reads 2"):
        unpacked(content)


@pytest.mark.parametrize(
    "field",
    [
        {"kind": "other"},
        {"labels": [1, 2]},
        {"labels": 7},
        {"positive": "none of the labels"},
        {"normalization": "upper"},
        {"language": None},
        {"options": {"ngrams": "2"}},
        {"options": {"ngrams": True}},
        {"options": [1]},
        {"more": 1},
    ],
    ids=str,
)
def test_a_field_of_another_kind_behind_a_right_checksum(field: dict[str, Any]) -> None:
    content = packed(LOGISTIC, b"body")
    size = int.from_bytes(content[16:20], "little")
    head = json.dumps({**json.loads(content[20 : 20 + size]), **field}).encode()
    with pytest.raises(ValueError, match="its header is damaged; train it again"):
        unpacked(module.LOGISTIC + len(head).to_bytes(4, "little") + head + b"body")


def test_a_header_that_is_nested_too_deeply() -> None:
    head = b"[" * 100_000
    with pytest.raises(ValueError, match="its header is damaged"):
        unpacked(module.LOGISTIC + len(head).to_bytes(4, "little") + head)
