"""Weights that learnt from documents with another begin or end are refused; where nothing says it, they are taken."""

import json
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from tests.curation.tokens.encoders.public_tokenizers import every
from tests.training.runs import TINY, counting_documents, write_run
from training.checkpoint.initial_ends import refuse_other_ends
from training.config.parse import parse
from training.parallel.mesh import RefusedError
from training.start import train


def run_of(folder: Path, begin: int | None) -> Path:
    """Documents that begin with this token, if with any."""
    front = [] if begin is None else [begin]
    training, held_out = (
        [[*front, *document] for document in counting_documents(count, seed=count, vocabulary=62)] for count in (70, 7)
    )
    return write_run(folder, training, validation=held_out, begin_of_text=begin)


def test_weights_of_a_training(tmp_path: Path) -> None:
    plain, begun = (str(run_of(tmp_path / name, begin)) for name, begin in (("plain", None), ("begun", 63)))
    train(parse({**TINY, "steps": 3}), plain, str(tmp_path / "first"))
    record = json.loads((tmp_path / "first" / "config.json").read_text())
    assert record["around_documents"] == {"begin_of_text": None, "end_of_text": 0}
    newest = max((tmp_path / "first" / "checkpoints").glob("step_*"))
    for source in (tmp_path / "first", newest):
        refuse_other_ends(str(source), TokenData.open(plain))
        with pytest.raises(
            InputError, match=r"learnt from documents with begin_of_text none, those of .*begun have 63;"
        ):
            refuse_other_ends(str(source), TokenData.open(begun))
    with pytest.raises(RefusedError, match="tokenize with the same begin and end, or begin with other weights"):
        train(parse({**TINY, "init": str(newest)}), begun, str(tmp_path / "second"))


def test_weights_in_the_layout_of_hugging_face(tmp_path: Path) -> None:
    folder = every["llama_2"]().write(tmp_path / "llama")
    begin = every["llama_2"]().library.token_to_id("<s>")
    refuse_other_ends(str(folder), TokenData.open(str(run_of(tmp_path / "begun", begin))))
    plain = TokenData.open(str(run_of(tmp_path / "plain", None)))
    with pytest.raises(InputError, match=f"begin_of_text {begin}, those of .*plain have none"):
        refuse_other_ends(str(folder), plain)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    (folder / "config.json").write_text('{"bos_token_id": 1}')
    refuse_other_ends(str(tmp_path / "nowhere"), plain)
