"""Nodes that a training leaves out: a file each in its output, bad_nodes/HOST.json with `reason` and `time`.

Whoever has a node repaired deletes its file.
"""

import json
import platform
from datetime import UTC, datetime

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.json_files import find_shape
from training.checkpoint.run_shapes import BadNode

FOLDER = "bad_nodes"


def leave_out(output: str, reason: str) -> None:
    """From now on no process of this training starts on this node."""
    content = {"reason": reason, "time": datetime.now(UTC).isoformat(timespec="seconds")}
    folder = storage.join(output, FOLDER)
    storage.make_folder(folder)
    storage.write_bytes(storage.join(folder, f"{platform.node()}.json"), json.dumps(content).encode())


def left_out(output: str) -> dict[str, str]:
    """Why, by host name."""
    folder = storage.join(output, FOLDER)
    names = storage.list_names(folder) if storage.exists(folder) else []
    remedy = "delete it if the node is repaired"
    found = {name: find_shape(storage.join(folder, name), BadNode, remedy) for name in names}
    return {name.removesuffix(".json"): node["reason"] for name, node in found.items() if node is not None}


def refuse_bad_node(output: str) -> None:
    """Raises InputError on a node that is left out."""
    host = platform.node()
    if reason := left_out(output).get(host):
        file = masked(storage.join(output, FOLDER, f"{host}.json"))
        raise InputError(
            f"{host} is left out of this training: {reason}; use another node, or repair it and delete {file}"
        )
