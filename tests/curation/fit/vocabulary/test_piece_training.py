"""The trainer leaves nothing behind, says nothing, and its mistakes become one line each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sentencepiece import SentencePieceProcessor

from curation.core.errors import RecipeError
from curation.fit.vocabulary.piece_training import train_pieces

SENTENCES = ["the cat sat on the mat", "a mat  for\u00a0the Cat"] * 20

SCRIPT = """
import sys
from curation.fit.vocabulary.piece_training import train_pieces
sys.stdout.buffer.write(train_pieces(sys.argv[1:], vocab_size=60, model_type="bpe"))
"""


def test_text_stays_as_it_is() -> None:
    model = SentencePieceProcessor(model_proto=train_pieces(SENTENCES, vocab_size=30))
    for text in (*SENTENCES, " the ", "the  mat"):
        assert model.decode(model.encode(text)) == text
    assert model.encode("the", out_type=str)[0][0] != "▁"


def test_no_files_no_noise_and_the_same_bytes(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[4]
    command = [sys.executable, "-c", SCRIPT, *SENTENCES]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout == train_pieces(SENTENCES, vocab_size=60, model_type="bpe")
    assert list(tmp_path.iterdir()) == []


def test_any_other_mistake_is_one_line() -> None:
    with pytest.raises(RecipeError, match="SentencePiece cannot learn a model: ") as caught:
        train_pieces(SENTENCES, vocab_size=60, character_coverage=2.0)
    assert "\n" not in str(caught.value)
