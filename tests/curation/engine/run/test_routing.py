"""Rows reach their receiver, all of them and in their order, by ranges of bytes."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest

from curation.engine.run.routing import ByKey, KnownReceivers, Outbox
from curation.engine.run.sent_files import SentFiles

N = pa.schema([("n", pa.int64())])


def sent(
    folder: Path, *senders: tuple[list[int], list[int]], receivers: int = 4, batches: int | None = None
) -> SentFiles:
    """Files of senders with rows and the receivers of these."""
    (folder / "_step").mkdir(exist_ok=True)
    commits = []
    for number, (rows, receiver) in enumerate(senders):
        outbox = Outbox(str(folder), "_step", number)
        outbox.send("rows", pa.table({"n": rows}), KnownReceivers(np.array(receiver, np.int64), receivers), batches)
        commits.append(outbox.done())
    return SentFiles.of(str(folder), "_step", "rows", commits)


def test_each_receiver_gets_its_rows_in_order(tmp_path: Path) -> None:
    rows = sent(tmp_path, ([10, 11, 12, 13, 14], [2, 0, 2, 0, 2]))
    assert [rows.to(n, 4).table(N)["n"].to_pylist() for n in range(4)] == [[11, 13], [], [10, 12, 14], []]


@pytest.mark.parametrize("receivers", [1, 2, 4, 8, 16])
def test_fewer_or_more_receivers_than_batches(tmp_path: Path, receivers: int) -> None:
    """A receiver reads all batches that may have rows of its own."""
    (tmp_path / "_step").mkdir()
    hi = np.random.default_rng(1).integers(0, 2**64, 100, np.uint64)
    outbox = Outbox(str(tmp_path), "_step", 0)
    outbox.send("keys", pa.table({"key_hi": hi}), ByKey(), 4)
    keys = SentFiles.of(str(tmp_path), "_step", "keys", [outbox.done()])
    assert keys.batches == 4
    for number in range(receivers):
        found = keys.to(number, receivers).table(pa.schema([("key_hi", pa.uint64())]))
        own = ByKey(receivers).of(found) == number
        expected = hi[ByKey(receivers).of(pa.table({"key_hi": hi})) == number]
        assert sorted(np.asarray(found["key_hi"])[own].tolist()) == sorted(expected.tolist())
        assert own.all() or receivers > 4
