"""Calls a function of this room in a peer's environment and prints what it returns, as one line of JSON.

    PYTHON -m benchmarks.peers MODULE.FUNCTION OPTIONS     OPTIONS is a JSON object

`benchmarks.datatrove.run` starts it.
"""

import importlib
import json
import sys


def main() -> None:
    name, options = sys.argv[1:]
    module, function = name.split(".")
    work = getattr(importlib.import_module(f"benchmarks.peers.{module}"), function)
    print(json.dumps(work(**json.loads(options))))


if __name__ == "__main__":
    main()
