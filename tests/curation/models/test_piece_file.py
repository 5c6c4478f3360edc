"""SentencePiece models: tables of characters that the library would follow anywhere, and pieces that are none."""

import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from curation.core.errors import InputError
from curation.models.ngram.reading import load_pieces
from curation.models.piece_file import parsed
from curation.tokens.encoders.piece_model import PieceModel
from tests.support import table

TEXTS = b"a\0b\0"


def characters(unit: int = 0, *, value: int = 0, texts: bytes = TEXTS) -> bytes:
    """A table of one block: a unit for "x" with these bits, and the value of its text right behind the root's place."""
    units = np.zeros(256, "<u4")
    units[ord("x")] = unit | ord("x")
    units[0x79] = value | 1 << 31
    return struct.pack("<I", units.nbytes) + units.tobytes() + texts


def model(**normalizer: bytes) -> bytes:
    made = ModelProto()
    for name, kind in (("<unk>", 2), ("</s>", 3), ("a", 1)):
        made.pieces.add(piece=name, score=0.0, type=kind)
    for name, value in normalizer.items():
        setattr(made.normalizer_spec, name, value)
    content: bytes = made.SerializeToString()
    return content


def with_value(offset: int) -> int:
    return offset << 10 | 1 << 8


def test_a_sound_table() -> None:
    # The value of "x" (0x78) lies at 0x78 ^ 1: the second text.
    sound = model(precompiled_charsmap=characters(with_value(1), value=2))
    assert len(parsed(sound).pieces) == 3


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf"])
def test_the_library_s_own_tables(tmp_path: Path, rule: str) -> None:
    (tmp_path / "text").write_text("the people of the town have to read\n" * 20)
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "m"), vocab_size=20, normalization_rule_name=rule,
        minloglevel=2,
    )  # fmt: skip
    assert len(parsed((tmp_path / "m.model").read_bytes()).normalizer_spec.precompiled_charsmap) > 200_000


@table(
    "content, message",
    {
        "children behind the table": (characters(with_value(256), value=2), "leads out of itself"),
        "children far behind the table": (characters(with_value((1 << 21) - 1)), "leads out of itself"),
        "a value behind the texts": (characters(with_value(1), value=4), "leads out of itself"),
        "texts that do not end": (characters(with_value(1), value=2, texts=b"a\0b"), "is damaged"),
        "no texts": (characters(texts=b""), "is damaged"),
        "half a block": (struct.pack("<I", 512) + bytes(512) + TEXTS, "is damaged"),
        "a size behind the end": (struct.pack("<I", 1 << 31) + bytes(1024) + TEXTS, "is damaged"),
        "no size": (b"ab", "is damaged"),
    },
)
def test_tables_that_lead_out_of_the_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "pieces.model"
    path.write_bytes(model(precompiled_charsmap=content))
    with pytest.raises(ValueError, match=message):
        parsed(path.read_bytes())
    with pytest.raises(InputError, match=rf"pieces\.model is neither .*{message}; give one of the two"):
        PieceModel(path.read_bytes(), str(path))
    with pytest.raises(InputError, match=rf"pieces\.model is not a SentencePiece model: .*{message}"):
        load_pieces(str(path))


def test_what_the_library_itself_refuses() -> None:
    made = ModelProto()
    made.pieces.add(piece="a", score=0.0, type=1)
    with pytest.raises(InputError, match=r"F is a damaged SentencePiece model: .*unk is not defined.*; copy it again"):
        PieceModel(made.SerializeToString(), "F")


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_no_number(score: float) -> None:
    made = ModelProto()
    made.pieces.add(piece="a", score=score, type=1)
    with pytest.raises(ValueError, match="the score of a piece is no number"):
        parsed(made.SerializeToString())


def test_a_sound_model_reads_text() -> None:
    pieces = PieceModel(model(), "F")
    ids = next(pieces.ids(pa.array(["aa"], pa.large_string())))
    assert ids.tolist()[-2:] == [2, 2]
