"""Ranges of a receiver in a file, as they would be sent."""

from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import StageError
from curation.engine.run import routing
from curation.engine.run.routing import Sent
from curation.engine.run.stored_ranges import StoredRanges, store_ranges

BOUNDS = np.cumsum(np.random.default_rng(3).integers(0, 99, (5, 9)), axis=1)


@pytest.mark.parametrize("receivers", [1, 4, 8, 16])
def test_ranges_are_those_that_would_be_sent(tmp_path: Path, receivers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = Sent(str(tmp_path), "_step", "keys", BOUNDS)
    assert sent.told() is sent
    monkeypatch.setattr(routing, "TOLD", 4)
    for receiver in range(receivers):
        stored = sent.told().to(receiver, receivers).ranges
        assert isinstance(stored, StoredRanges)
        assert len(stored) == 5
        assert stored.read().tolist() == np.asarray(sent.to(receiver, receivers).ranges).tolist()


def test_a_file_that_is_gone_or_cut_short_is_named(tmp_path: Path) -> None:
    path = store_ranges(str(tmp_path), ("a", "b"), BOUNDS)
    assert path == f"{tmp_path}/_ranges/a-b"
    with pytest.raises(StageError, match=r"_ranges/a-b cannot be read.*run the same command again"):
        StoredRanges(path, 5, 8, 9).read()
    Path(path).unlink()
    with pytest.raises(StageError, match="_ranges/a-b cannot be read"):
        StoredRanges(path, 5, 0, 1).read()
