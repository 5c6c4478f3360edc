"""A row begins with each document; what is longer goes on in the next."""

from pathlib import Path

import numpy as np

from curation.tokens.pack import Pack
from tests.curation.tokens.support import END, PAD, VOCABULARY, token_batch


def test_rows(tmp_path: Path) -> None:
    documents = {"a": [10, 11, END], "b": [END], "c": [20, 21, 22, 23, 24, 25, END]}
    packer = Pack(sequence_length=4, method="one_per_row")
    part, _ = packer.pack(0, [token_batch(documents)], str(tmp_path), source="web", vocabulary=VOCABULARY)
    assert np.fromfile(tmp_path / "tokens-00000.bin", "<u2").reshape(-1, 5).tolist() == [
        [10, 11, END, PAD, PAD],
        [END, PAD, PAD, PAD, PAD],
        [20, 21, 22, 23, 24],
        [24, 25, END, PAD, PAD],
    ]
    assert (part["rows"], part["tokens"], part["padding"], part["cut"]) == (4, 11, 8, 1)
