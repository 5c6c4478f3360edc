"""Peak memory of a function of a test module, measured in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT = 1_500  # MB: what a task may take, interpreter and libraries included


def peak_memory(function: Callable[..., object], *args: Any) -> tuple[int, Any]:
    """(MB of physical memory at most, what the function returned) for a module-level function and arguments in JSON.

    VmHWM belongs to the address space: `ru_maxrss` would begin with that of the process that started this one.
    """
    call = [function.__module__, function.__name__, json.dumps(args)]
    done = subprocess.run([sys.executable, "-m", __name__, *call], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    return result["peak"], result["returned"]


def _main(module: str, name: str, args: str) -> None:
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - a string is wanted
    function = getattr(__import__(module, fromlist=[name]), name)
    returned = function(*json.loads(args))
    status = Path("/proc/self/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"peak": int(kilobytes) * 1024 // 10**6, "returned": returned}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
