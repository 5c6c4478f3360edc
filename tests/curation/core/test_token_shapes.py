"""The sections that tokens are read by: what `pack` and `mix` write is of their shape, and what lacks a key is not."""

from typing import Any

import pytest

from curation.core.shape_error import ShapeError
from curation.core.shapes import checked
from curation.core.stage_shapes import AddressParts, AuditEntry
from curation.core.token_shapes import MixIndex, Section

SHAPE = {"dtype": "uint16", "vocabulary": 9, "begin_of_text": None, "end_of_text": 0, "padding": 1, "row_tokens": 5}
SHAPE |= {"tokenizer": {"file": "tokenizer.json", "blake2b": "ab"}}
COUNTS = {"rows": 1, "tokens": 4, "documents": 1, "utf8_bytes": 9, "padding": 0, "cut": 0}
FILES = {"tokens-00000.bin": {"bytes": 1, "blake2b": "ab"}}
PART = {"name": "tokens-00000", "source": "web", "split": "train", **COUNTS, "files": FILES}
AUDIT = {"takedown": 0, "when": "", "documents": 1, "rows": 1}
SECTION: dict[str, Any] = {
    **SHAPE,
    "format_version": 2,
    "method": "concat",
    "split_by": None,
    "sources": {"web": {"train": COUNTS}},
    "parts": [PART],
}
INDEX: dict[str, Any] = {
    **SHAPE,
    "format": "winnow-mix",
    "format_version": 3,
    "seed": -1,
    "packs": ["01-pack"],
    "runs": {},
    "leaves": [{"source": "web", "available": 1}],
    "phases": [{"name": "mix", "rows": 1, "tokens": 4, "target_tokens": 4.5, "short": False}],
    "entries": [{"source": "web", "phase": 0, "first": 0, "rows": 1}],
    "report": [],
}


def test_what_is_written_is_of_its_shape() -> None:
    assert checked(SECTION, Section) == SECTION
    assert checked(INDEX, MixIndex) == INDEX


@pytest.mark.parametrize(("kind", "value"), [(Section, SECTION), (MixIndex, INDEX)])
def test_every_key_is_needed(kind: Any, value: dict[str, Any]) -> None:
    for name in value:
        with pytest.raises(ShapeError, match=f"^{name}: expected a value, got nothing"):
            checked({key: one for key, one in value.items() if key != name}, kind)


def test_a_token_shard_lies_in_its_pack() -> None:
    with pytest.raises(ShapeError, match=r"^parts\[0\].name: expected the name of a file or folder in this folder"):
        checked({**SECTION, "parts": [{**PART, "name": "../tokens"}]}, Section)


def test_sections_of_a_stage() -> None:
    parts = {"order": ["a"], "config": {"a": {"b": 1}}, "versions": {"a": 1}, "assets": {}, "upstream": []}
    assert checked({**parts, "more": [1]}, AddressParts) == {**parts, "more": [1]}
    with pytest.raises(ShapeError, match=r"^files.x.after: expected text, got null"):
        checked({**AUDIT, "files": {"x": {"before": "", "after": None}}}, AuditEntry)
