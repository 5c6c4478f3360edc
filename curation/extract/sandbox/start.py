"""The script that a child process runs: it takes winnow's package, and the parser's, from where the parent has them.

They are loaded by their folders and never by the search path, which holds nothing of the caller's: a file of any name
in the folder that somebody works in must not be taken for a module.
"""

import json
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec


def load(package: str, folder: str) -> None:
    """Imports a package or module from a folder, without the folder becoming part of the search path."""
    spec = PathFinder.find_spec(package, [folder])
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no package {package} in {folder}")
    sys.modules[package] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[package])


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    for name, place in given.pop("packages").items():
        load(name, place)
    from curation.extract.sandbox.child import serve

    serve(given)
