"""Which ids no text becomes, of each kind of tokenizer file."""

import json
from pathlib import Path

import pytest
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from curation.tokens.encoders.never_text import never_text, never_text_in

ADDED = [
    {"id": 5, "content": "<tool>", "special": False},
    {"id": 3, "content": "<s>", "special": True},
    {"id": 2, "content": "</s>", "special": True},
    {"id": 0, "content": "<unk>", "special": True},
]


@pytest.mark.parametrize("model", [{"unk_token": "<unk>"}, {"unk_id": 0}])
def test_special_tokens_but_the_unknown_one(model: dict[str, object]) -> None:
    assert never_text(json.dumps({"model": model, "added_tokens": ADDED}).encode()) == (2, 3)


def test_control_pieces_and_those_in_brackets() -> None:
    model = ModelProto()
    kinds = {"<unk>": 2, "<s>": 3, "</s>": 3, "a": 1, "<mask>": 4, "12": 4, "<0x0A>": 6}
    for piece, kind in kinds.items():
        model.pieces.add(piece=piece, score=0.0, type=kind)
    assert never_text(model.SerializeToString()) == (1, 2, 4)


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    assert never_text(b"stands for a tokenizer") == ()
    path = tmp_path / "tokenizer.json"
    assert never_text_in(str(path)) == ()
    path.write_text('{"added_tokens": [1]}')
    assert never_text_in(str(path)) == ()
