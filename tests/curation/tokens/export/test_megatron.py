"""What Megatron-Core reads of an export, token by token, and its index by hand."""

import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError, UserError
from curation.tokens.export.megatron import export_megatron
from curation.tokens.mix import Mix
from curation.tokens.mixing.phases import Phase
from curation.tokens.pack import Method, Pack
from curation.tokens.packing.split_by import SplitBy
from curation.tokens.token_files import Vocabulary
from tests.curation.tokens.run_by_hand import DOCUMENTS, write_run_by_hand
from tests.curation.tokens.support import END, TOKENIZER, checksum, token_batch, two_source_run, write_mix, write_pack


def test_bytes_by_hand(tmp_path: Path) -> None:
    done = export_megatron(str(write_run_by_hand(tmp_path / "run")), str(tmp_path / "out"))
    prefix = tmp_path / "out" / "train" / "web"
    assert done["files"] == [{"prefix": str(prefix), "source": "web", "split": "train", "documents": 3, "tokens": 11}]
    tokens = [token for document in DOCUMENTS for token in document]
    assert Path(f"{prefix}.bin").read_bytes() == struct.pack("<11H", *tokens)
    assert Path(f"{prefix}.idx").read_bytes() == (
        b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, 3, 4)
        + struct.pack("<3i", 3, 1, 7) + struct.pack("<3q", 0, 6, 8) + struct.pack("<4q", 0, 1, 2, 3)
    )  # fmt: skip
    assert done["data_path"] == {"mix": f"--train-data-path 1 {prefix}"}
    assert (tmp_path / "out" / "data-path.txt").read_text() == f"# mix\n--train-data-path 1 {prefix}\n"
    assert (tmp_path / "out" / "tokenizer.json").read_bytes() == TOKENIZER
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["data-path.txt", "tokenizer.json", "train"]


def indexed_dataset(prefix: str) -> Any:
    """Megatron-Core's own reader."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, on import
        module = pytest.importorskip(
            "megatron.core.datasets.indexed_dataset", reason="pip install --no-deps megatron-core"
        )
    return module.IndexedDataset(prefix)


@pytest.mark.parametrize("method", ["concat", "best_fit", "one_per_row"])
@pytest.mark.parametrize("size", [1000, 100_000])
def test_megatron_reads_every_document(tmp_path: Path, method: Method, size: int) -> None:
    vocabulary = Vocabulary(size=size, end_of_text=END, padding=1, tokenizer=checksum(TOKENIZER))
    rng = np.random.default_rng(0)
    documents = {
        f"d{i}": [*rng.integers(2, size, length).tolist(), END] for i, length in enumerate(rng.integers(0, 60, 90))
    }
    held = tuple(f"d{i}" for i in range(0, 90, 9))
    half = list(documents)[:50]
    kind = pa.from_numpy_dtype(vocabulary.dtype)
    shards = [{one: documents[one] for one in half}, {one: documents[one] for one in documents if one not in half}]
    batches = [
        token_batch(shard, validation=held, kind=kind).append_column(
            "split_by", pa.array([int(one[1:]) % 2 for one in shard])
        )
        for shard in shards
    ]
    packer = Pack(sequence_length=16, method=method, split_by=SplitBy(column="n", edges=(1,)))
    section = write_pack(
        tmp_path / "run" / "pack", [("web", [batch]) for batch in batches], packer=packer, vocabulary=vocabulary
    )
    write_mix(tmp_path / "run", {"pack": section})
    done = export_megatron(str(tmp_path / "run"), str(tmp_path / "out"))
    assert len(done["files"]) == 4
    for one in done["files"]:
        even = one["source"] == "web/below_1"
        train = one["split"] == "train"
        own = [
            tokens for name, tokens in documents.items() if (name in held) != train and (int(name[1:]) % 2 == 0) == even
        ]
        read = indexed_dataset(one["prefix"])
        assert [read[i].tolist() for i in range(len(read))] == own
        assert read.document_indices.tolist() == list(range(len(own) + 1))
        assert (one["documents"], one["tokens"]) == (len(own), sum(map(len, own)))


def test_the_blend_has_the_weights_of_the_mix(tmp_path: Path) -> None:
    run = two_source_run(tmp_path / "run", Mix(weights={"web": 3, "code": 1}, tokens=160))
    done = export_megatron(str(run), str(tmp_path / "out"))
    out = tmp_path / "out"
    assert done["data_path"] == {
        "mix": f"--train-data-path 0.25 {out}/train/code 0.75 {out}/train/web "
        f"--valid-data-path 0.1875 {out}/validation/code 0.8125 {out}/validation/web"
    }


def test_a_blend_for_each_phase(tmp_path: Path) -> None:
    phases = (Phase(name="main", share=0.75, weights={"web": 1, "code": 0}), Phase(name="end", share=0.25))
    run = two_source_run(tmp_path / "run", Mix(phases=phases, tokens=160, weights={"web": 1, "code": 1}))
    out = tmp_path / "out"
    code = f"--valid-data-path 1 {out}/validation/code"
    assert export_megatron(str(run), str(out), leaves=["code"])["data_path"] == {
        "main": code,
        "end": f"--train-data-path 1 {out}/train/code {code}",
    }
    assert (out / "data-path.txt").read_text().startswith(f"# main\n{code}\n# end\n")


def test_refused(tmp_path: Path) -> None:
    run = two_source_run(tmp_path / "run")
    with pytest.raises(UserError, match="the mix has no source 'cod'; did you mean 'code'"):
        export_megatron(str(run), str(tmp_path / "out"), leaves=["cod"])
    assert not (tmp_path / "out").exists()
    with pytest.raises(UserError, match=r"run lies in the run .*, which holds its stages only"):
        export_megatron(str(run), str(run))
    with pytest.raises(UserError, match="is not a local folder"):
        export_megatron(str(run), "s3://bucket/out")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file exists already"):
        export_megatron(str(run), str(tmp_path / "file"))
    with pytest.raises(InputError, match="neither a run"):
        export_megatron(str(tmp_path), str(tmp_path / "out"))
