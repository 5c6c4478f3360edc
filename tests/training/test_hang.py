"""A process that stands still ends with its stacks; of two in tests/faults/test_training.py."""

import subprocess
import sys
from pathlib import Path

from training.hang import HangWatch

CODE = """
import sys, time
from training.hang import HangWatch
watch = HangWatch(sys.argv[1], 3, 1.0)
for _ in range(4):
    watch.step()
    time.sleep(0.4)
def stands_still():
    time.sleep(60)
stands_still()
"""


def test_stacks_are_left(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], timeout=50, check=False)
    assert done.returncode == 1
    assert "stands_still" in (tmp_path / "stacks" / "rank-00003.txt").read_text()


def test_nothing_is_left_where_nothing_hung(tmp_path: Path) -> None:
    watch = HangWatch(str(tmp_path), 0, 60)
    watch.step()
    watch.close()
    assert list((tmp_path / "stacks").iterdir()) == []


def test_outputs_in_a_store_have_folders_of_their_own() -> None:
    one, other = (HangWatch(f"memory://{name}/run", 0, 60) for name in "ab")
    for watch in (one, other):
        watch.step()
    other.close()
    one.close()  # while the other's file is gone
    assert one.file != other.file
    assert not one.file.exists()
