"""Token files that are not as their manifest says, though each token is valid: no step is counted with rows of them."""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.training.runs import PACK, TINY, counting_run
from training.checkpoint.manifest import complete_steps
from training.config.parse import parse
from training.parallel.mesh import RefusedError
from training.start import train

Record = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(counting_run(tmp_path_factory.mktemp("run") / "run"))


def stop_after(step: int) -> Callable[[Record], None]:
    def stop(record: Record) -> None:
        if (record["kind"], record["step"]) == ("step", step):
            raise InterruptedError

    return stop


def swapped(path: Path) -> None:
    """Each seventh token is another one of the vocabulary."""
    tokens = np.fromfile(path, "<u2")
    tokens[5::7] = 2 + (tokens[5::7] + 13) % 60
    tokens.tofile(path)


def joined(path: Path) -> None:
    """The end of a document is a token early: the lengths of the row's segments still add up to the row."""
    content = bytearray(path.read_bytes())
    (rows,) = struct.unpack_from("<Q", content, 24)
    offsets = np.frombuffer(content, "<u8", rows + 1, 64)
    at = 64 + 8 * (rows + 1) + 4 * int(offsets[np.flatnonzero(np.diff(offsets) > 1)[0]])
    first, second = struct.unpack_from("<II", content, at)
    struct.pack_into("<II", content, at, first - 1, second + 1)
    path.write_bytes(content)


@pytest.mark.parametrize("log_every", [1, 100])
@pytest.mark.parametrize(
    ("name", "damage"),
    [("tokens-00000.bin", swapped), ("validation-00000.bin", swapped), ("tokens-00000.idx", joined)],
)
def test_no_step_is_counted_with_rows_of_a_damaged_file(
    run: str, tmp_path: Path, name: str, damage: Callable[[Path], None], log_every: int
) -> None:
    """Each token is valid, and each row is as long as it should be."""
    spoilt = tmp_path / "run"
    shutil.copytree(run, spoilt)
    damage(spoilt / PACK / name)
    seen: list[Record] = []
    message = f"{spoilt / PACK / name} is damaged: its checksum differs .* `winnow verify {spoilt} --deep` says"
    with pytest.raises(RefusedError, match=message):
        train(parse({**TINY, "log_every": log_every}), str(spoilt), str(tmp_path / "out"), on_record=seen.append)
    assert [record["kind"] for record in seen if record["kind"] != "start"] == []
    assert complete_steps(str(tmp_path / "out")) == []


def test_a_file_that_is_damaged_while_it_is_trained_on_is_found_when_it_starts_again(run: str, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    with pytest.raises(InterruptedError):
        train(parse(TINY), str(copy), str(tmp_path / "out"), on_record=stop_after(4))
    swapped(copy / PACK / "tokens-00000.bin")
    with pytest.raises(RefusedError, match=r"tokens-00000\.bin is damaged: its checksum differs"):
        train(parse(TINY), str(copy), str(tmp_path / "out"))
    assert complete_steps(str(tmp_path / "out")) == [3]
