"""Bytes of an archive that nothing was read of, by the offsets of faults and records."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.sources.lost_bytes import LostBytes
from tests.curation.sources.sample_archives import http, members, read, warc


@pytest.mark.parametrize(
    ("events", "lost"),
    [
        pytest.param([10, 50], 0, id="records alone"),
        pytest.param(["0"], 100, id="no record"),
        pytest.param(["0", 60], 60, id="a record behind damage"),
        pytest.param([0, "30", "40", 70], 40, id="two faults before the next record"),
        pytest.param([0, "30", 30, 70], 0, id="a fault of a record that is read all the same"),
        pytest.param([0, "30", 70, "90"], 50, id="and the end is missing"),
        pytest.param([0, 80, "0"], 20, id="a member that is cut off behind its last record"),
        pytest.param([0, 300, "0"], 0, id="and decompresses to more than its file"),
    ],
)
def test_lost_bytes(events: list[int | str], lost: int) -> None:
    told: list[tuple[int, int]] = []
    bytes_of = LostBytes(100, lambda size, lost, offset, error: told.append((size, lost)))
    for event in events:
        if isinstance(event, str):
            bytes_of.fault(int(event), "damage")
        else:
            bytes_of.record(event)
    bytes_of.end()
    assert told == [(100, lost)]


def test_the_first_fault_is_told() -> None:
    told: list[object] = []
    bytes_of = LostBytes(9, lambda *figures: told.append(figures))
    bytes_of.fault(3, "cut")
    bytes_of.fault(5, "gone")
    bytes_of.end()
    assert told == [(9, 6, 3, "cut")]


def test_what_decompression_passes_over_is_lost() -> None:
    told: list[object] = []
    bytes_of = LostBytes(100, lambda *figures: told.append(figures))
    bytes_of.fault(30, "damaged")
    bytes_of.passed(35, 40)
    bytes_of.record(30)  # of which the beginning could be read
    bytes_of.fault(50, "damaged")
    bytes_of.passed(55, None)
    bytes_of.record(50)
    bytes_of.end()
    assert told == [(100, 50, 30, "damaged")]


@pytest.mark.parametrize("pack", [members, lambda *each: gzip.compress(b"".join(each))], ids=["members", "one member"])
def test_an_archive_of_which_the_rest_is_noise(tmp_path: Path, pack: Callable[..., bytes]) -> None:
    rng = random.Random(1)
    packed = pack(*(warc(str(number), http(rng.randbytes(20_000))) for number in range(10)))
    path = tmp_path / "x.warc.gz"
    path.write_bytes(packed[:70_000] + rng.randbytes(len(packed) - 70_000))
    found, tally = read(path)
    assert 0 < len(found) < 5
    assert tally.files[str(path)].failed_fraction > 0.5
