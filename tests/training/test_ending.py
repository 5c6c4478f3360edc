"""A process that leaves has written all that it printed, and says how it went."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("given", "code", "errors"), [("", 0, ""), ("'error: too bad'", 1, "error: too bad\n")])
def test_leaving(given: str, code: int, errors: str) -> None:
    script = f"from training.ending import leave; print('done'); leave({given}); print('never')"
    left = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (left.returncode, left.stdout, left.stderr) == (code, "done\n", errors)
