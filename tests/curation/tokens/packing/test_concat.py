"""Cutting pieces into rows, by hand."""

from pathlib import Path

import pytest

from curation.tokens.pack import Pack
from curation.tokens.packing import concat
from tests.curation.tokens.support import END, VOCABULARY, token_batch


@pytest.mark.parametrize("chunk", [1, 7])
def test_how_much_is_laid_at_a_time_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    batch = token_batch({f"d{size}": [*range(2, size + 2), END] for size in (0, 1, 30, 2, 7, 8, 0, 9)})
    made = []
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
        made.append(Pack(sequence_length=4).pack(0, [batch], str(tmp_path / name), source="web", vocabulary=VOCABULARY))
        monkeypatch.setattr(concat, "CHUNK_TOKENS", chunk)
    assert made[0] == made[1]
