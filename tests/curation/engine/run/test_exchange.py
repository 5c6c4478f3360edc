"""How exchanges are laid out, and that gathered files hold for each receiver what the senders sent."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.commits import Commit
from curation.engine.executor.work import Unit, Work
from curation.engine.run import exchange
from curation.engine.run.exchange import PORTIONS, batches_for, buckets_for, delivered
from curation.engine.run.routing import SLOTS, ByKey, KnownReceivers, Outbox
from curation.engine.run.sent_files import SentFiles
from tests.curation.engine.inputs import run_here

SCHEMA = pa.schema([("key_hi", pa.uint64()), ("n", pa.int64())])


def test_buckets_follow_from_the_bytes() -> None:
    million = 14 * 33 * 10**6  # bytes of the keys of a million documents of minhash
    assert [buckets_for(documents * million) for documents in (0, 2, 20, 1000)] == [1, 16, 16, 512]
    assert buckets_for(million // 1000) == 1
    assert buckets_for(0, least=5) == 8
    assert buckets_for(10**18) == SLOTS


def test_batches() -> None:
    assert batches_for(64, 64) == 64
    assert batches_for(400, 64) == PORTIONS


@pytest.mark.parametrize("receivers", [2, 16, 64])
def test_gathered_files_hold_the_same_rows(tmp_path: Path, receivers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "RANGES", 0)
    monkeypatch.setattr(exchange, "GROUP_BYTES", 40_000)
    random = np.random.default_rng(2)
    expected = []
    (tmp_path / "_step").mkdir()
    commits = []
    for sender in range(10):
        hi = random.integers(0, 2**64, 200, np.uint64)
        table = pa.Table.from_arrays([pa.array(hi), pa.array(np.arange(200) + 200 * sender)], schema=SCHEMA)
        expected.append(table)
        outbox = Outbox(str(tmp_path), "_step", sender)
        outbox.send("keys", table, ByKey(), PORTIONS)
        commits.append(outbox.done())
    seen = []

    def step(name: str, work: Work, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        seen.append(len(units))
        return tuple(run_here(work, units, str(tmp_path), folder))

    router = ByKey(receivers)
    found = delivered(step, SentFiles.of(str(tmp_path), "_step", "keys", commits), router, "_gathered")
    assert (found.per, len(found.bounds), seen) == (5, 2, [2])
    assert found.batches == receivers
    rows = pa.concat_tables(expected)
    for number in range(receivers):
        own = rows.filter(pa.array(router.of(rows) == number))
        arrived = found.to(number, receivers).table(SCHEMA)
        assert sorted(arrived["n"].to_pylist()) == own["n"].to_pylist()
        assert (np.diff(np.asarray(arrived["n"]) // 200) >= 0).all(), "in the order of the senders"


@pytest.mark.parametrize("receivers", [3, 40])
def test_rows_for_any_number_of_receivers(tmp_path: Path, receivers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are no power of two."""
    monkeypatch.setattr(exchange, "RANGES", 0)
    (tmp_path / "_step").mkdir()
    to = np.random.default_rng(3).integers(0, receivers, 100)
    outbox = Outbox(str(tmp_path), "_step", 0)
    schema = pa.schema([("n", pa.int64())])
    outbox.send("rows", pa.table([to], schema=schema), KnownReceivers(to, receivers), batches_for(1, receivers))

    class ByNumber:
        def __init__(self) -> None:
            self.receivers = receivers

        def of(self, table: pa.Table) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
            return np.asarray(table["n"])

    def step(name: str, work: Work, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        return tuple(run_here(work, units, str(tmp_path), folder))

    found = delivered(step, SentFiles.of(str(tmp_path), "_step", "rows", [outbox.done()]), ByNumber(), "_gathered")
    for number in range(receivers):
        assert found.to(number, receivers).table(schema)["n"].to_pylist() == [number] * int((to == number).sum())


def test_few_ranges_are_read_from_the_senders(tmp_path: Path) -> None:
    def step(name: str, work: Work, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        raise AssertionError("nothing to gather")

    (tmp_path / "_step").mkdir()
    outbox = Outbox(str(tmp_path), "_step", 0)
    outbox.send("keys", SCHEMA.empty_table(), ByKey(), PORTIONS)
    sent = SentFiles.of(str(tmp_path), "_step", "keys", [outbox.done()])
    assert delivered(step, sent, ByKey(4), "_gathered") is sent
