"""Reading once and forward: what may still be asked for, and whose fault a failed read is."""

import io

import pytest

from curation.core.errors import StageError
from curation.sources.read_ahead import BLOCK, Raw, Window


def window(size: int) -> tuple[Window, bytes]:
    data = bytes(i % 251 for i in range(size))
    return Window(Raw("x", io.BytesIO(data))), data


def test_at_gives_any_kept_part_and_less_at_the_end() -> None:
    view, data = window(3 * BLOCK)
    assert view.at(2 * BLOCK, 10) == data[2 * BLOCK : 2 * BLOCK + 10]
    assert view.at(0, 5) == data[:5]
    assert view.at(3 * BLOCK - 3, 10) == data[-3:]
    assert view.at(3 * BLOCK, 10) == b""


def test_what_is_kept_survives_forgetting_what_is_not() -> None:
    view, data = window(4 * BLOCK)
    for offset in range(0, 4 * BLOCK, BLOCK // 2):
        view.forget(offset)
        assert view.at(offset, BLOCK) == data[offset : offset + BLOCK]
    view.forget(0)
    assert view.at(4 * BLOCK - 1, 1) == data[-1:]


def test_the_first_offset_that_is_kept() -> None:
    view, data = window(3 * BLOCK)
    view.at(2 * BLOCK, 10)
    view.forget(2 * BLOCK)
    assert view.at(2 * BLOCK, 1) == data[2 * BLOCK : 2 * BLOCK + 1]
    assert [view.first(0), view.first(2 * BLOCK + 5)] == [2 * BLOCK, 2 * BLOCK + 5]


def test_a_failed_read_stops_the_stage() -> None:
    class Failing(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise OSError("connection lost")

    with pytest.raises(StageError, match="cannot read s3://x: connection lost"):
        Window(Raw("s3://x", Failing())).at(0, 1)
