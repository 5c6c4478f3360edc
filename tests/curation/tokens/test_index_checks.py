"""Numbers of an index or a pack's manifest that cannot be are one line, before memory is asked for or a row is read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from tests.curation.tokens.support import two_source_run

MIX = "09-mix-0123abcd"
PACKS = ("05-web-pack", "06-code-pack")
Change = Callable[[dict[str, Any]], object]


def edit(path: Path, change: Change) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return two_source_run(tmp_path / "run")


def refuses(run: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        TokenData.open(str(run))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("dtype", "float64", "dtype is 'float64', not uint16 or uint32"),
        ("dtype", [1], "dtype: expected text, got a list of 1"),
        ("row_tokens", 1, "row_tokens is 1, not a whole number from 2"),
        ("row_tokens", 1 << 62, "row_tokens is 4611686018427387904"),
        ("row_tokens", 5.0, r"row_tokens: expected a whole number of 0 or more, got 5\.0"),
        ("vocabulary", 0, "vocabulary is 0"),
        ("vocabulary", 65_537, "vocabulary is 65537, not a whole number from 1 to 65,536"),
        ("vocabulary", None, "vocabulary: expected a whole number of 0 or more, got null"),
        ("end_of_text", 1000, "end_of_text is 1000, not a whole number from 0 to 999"),
        ("begin_of_text", 1000, "begin_of_text is 1000, not a whole number from 0 to 999"),
        ("padding", -1, "padding: expected a whole number of 0 or more, got -1"),
        ("seed", "abc", "seed: expected a whole number, got 'abc'"),
        ("packs", [], "it has no packs, leaves, phases or entries"),
        ("leaves", {}, "leaves: expected a list, got a mapping of 0"),
        ("runs", [], "runs: expected a mapping, got a list of 0"),
    ],
)
def test_fields_of_an_index(run: Path, key: str, value: Any, message: str) -> None:
    for pack in PACKS:  # as if both were made so
        edit(run / pack / "_manifest.json", lambda one: one["tokens"].update({key: value}))
    edit(run / MIX / "index.json", lambda one: one.update({key: value}))
    edit(run / MIX / "_manifest.json", lambda one: one["mix"].update({key: value}))
    refuses(run, message)


@pytest.mark.parametrize(
    ("part", "key", "value", "message"),
    [
        ("leaves", "available", -1, r"leaves\[0\].available: expected a whole number of 0 or more, got -1"),
        ("leaves", "available", 1 << 62, "available is 4611686018427387904"),
        ("entries", "rows", -4, r"entries\[0\].rows: expected a whole number of 0 or more, got -4"),
        ("entries", "rows", 1 << 62, "rows of an entry is 4611686018427387904"),
        ("entries", "rows", 10**6, "takes 1,000,000 rows of 'code', which has 30"),
        ("entries", "rows", 31, "phase 'mix' has 90 rows, its entries have 91"),
        ("entries", "first", -1, r"entries\[0\].first: expected a whole number of 0 or more, got -1"),
        ("entries", "first", 10**9, "takes 1,000,000,030 rows of 'code', which has 30"),
        ("entries", "phase", 7, "phase of an entry is 7, not a whole number from 0 to 0"),
        ("entries", "source", "nobody", "takes 30 rows of 'nobody', which has 0"),
        ("phases", "rows", 0, "phase 'mix' has 0 rows, its entries have 90"),
        ("phases", "tokens", 359, "phase 'mix' trains 359 labels in 90 rows, and its sources 360"),
        ("report", "available_tokens", 119, "the packs hold 120 labels of 'code', the mix counts 119; mix again"),
        ("phases", "tokens", -1, r"phases\[0\].tokens: expected a whole number of 0 or more, got -1"),
    ],
)
def test_numbers_of_an_index(run: Path, part: str, key: str, value: Any, message: str) -> None:
    edit(run / MIX / "index.json", lambda one: one[part][0].update({key: value}))
    edit(run / MIX / "_manifest.json", lambda one: one["mix"][part][0].update({key: value}))
    refuses(run, message)


BIN = "tokens-00000.bin"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.update(rows=1 << 62), "rows of tokens-00000 is 4611686018427387904"),
        (lambda part: part.update(rows=-1), r"parts\[0\].rows: expected a whole number of 0 or more, got -1"),
        (lambda part: part.update(rows=39), "tokens-00000 has 39 rows of 5 tokens, but files of other sizes"),
        (lambda part: part.update(name="../../etc/passwd"), r"parts\[0\].name: expected the name of a file or folder"),
        (lambda part: part.update(name=7), r"parts\[0\].name: expected text, got 7"),
        (lambda part: part.update(files={}), "the files of tokens-00000 are not its rows, index and lineage"),
        (lambda part: part["files"][BIN].update(bytes=-1), "bin.bytes: expected a whole number of 0 or more, got -1"),
        (lambda part: part["files"][BIN].update(blake2b=7), "bin.blake2b: expected text, got 7"),
        (lambda part: part["files"][BIN].pop("blake2b"), "bin.blake2b: expected a value, got nothing"),
        (lambda part: part.update(tokens=201), "has 1 documents, 201 tokens and 0 slots of padding in 200 slots"),
        (lambda part: part.update(documents=162), "tokens-00000 has 162 documents, 161 tokens and 0 slots of padding"),
        (lambda part: part.update(padding=40), "has 1 documents, 161 tokens and 40 slots of padding in 200 slots"),
    ],
    ids=range(12),
)
def test_numbers_of_a_pack(run: Path, change: Change, message: str) -> None:
    edit(run / PACKS[0] / "_manifest.json", lambda one: change(one["tokens"]["parts"][0]))
    refuses(run, message)
