"""What nanoGPT reads of an export, by a few lines that do as its train.py and sample.py do."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import tokenizers

from curation.account.run import Run
from curation.core.errors import UserError
from curation.tokens.export.nanogpt import export_nanogpt
from curation.tokens.token_files import Vocabulary
from tests.curation.tokens.support import END, PAD, TOKENIZER, checksum, token_batch, write_mix, write_pack


def tokens_of(run: Path, split: str) -> list[list[int]]:
    rows = Run.open(run).stage("tokenize").scan(["tokens", "split", "drop_reason"])
    return [
        row["tokens"]
        for batch in rows
        for row in batch.to_pylist()
        if row["split"] == split and row["drop_reason"] is None
    ]


def test_train_and_sample_read_what_was_tokenized(finished_run: Path, tmp_path: Path) -> None:
    run = finished_run / "run"
    done = export_nanogpt(str(run), str(tmp_path / "out"))
    data = {name: np.memmap(tmp_path / "out" / f"{name}.bin", dtype=np.uint16, mode="r") for name in ("train", "val")}
    for name, split in (("train", "train"), ("val", "validation")):
        documents = tokens_of(run, split)
        assert data[name].tolist() == [token for document in documents for token in document]
        (file,) = (file for file in done["files"] if file["split"] == split)
        assert (file["documents"], file["tokens"]) == (len(documents), len(data[name]))
    assert done["shares"] == [{"source": "web", "share": 1.0, "mix_share": 1.0}]
    with (tmp_path / "out" / "meta.pkl").open("rb") as file:
        meta = pickle.load(file)
    assert meta["vocab_size"] == 512
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    beginning = data["train"][:200].tolist()
    assert "".join(meta["itos"][number] for number in beginning) == tokenizer.decode(beginning)
    assert meta["stoi"]["\n"] == tokenizer.encode("\n").ids[0]
    assert "".join(meta["itos"][meta["stoi"][letter]] for letter in "A start") == "A start"


def by_hand(run: Path, *, size: int = 1000, held: tuple[str, ...] = ("b",)) -> str:
    vocabulary = Vocabulary(size=size, end_of_text=END, padding=PAD, tokenizer=checksum(TOKENIZER))
    kind = pa.from_numpy_dtype(vocabulary.dtype)
    batch = token_batch({"a": [10, 11, END], "b": [12, END]}, validation=held, kind=kind)
    section = write_pack(run / "pack", [("web", [batch])], vocabulary=vocabulary)
    write_mix(run, {"pack": section})
    return str(run)


def test_what_is_refused(finished_run: Path, tmp_path: Path) -> None:
    run = str(finished_run / "run")
    with pytest.raises(UserError, match="the mix has no source 'wbe'; did you mean 'web'"):
        export_nanogpt(run, str(tmp_path / "out"), leaves=["wbe"])
    with pytest.raises(UserError, match="lies in the run"):
        export_nanogpt(run, f"{run}/out")
    with pytest.raises(UserError, match=r"no validation documents, and nanoGPT needs val.bin; raise `validation` in"):
        export_nanogpt(by_hand(tmp_path / "run", held=()), str(tmp_path / "out"))
    with pytest.raises(UserError, match=r"nanoGPT reads ids below 65,536, and this vocabulary has 65,537; give a"):
        export_nanogpt(by_hand(tmp_path / "large", size=65_537), str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
