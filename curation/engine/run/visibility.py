"""Checks before work that every node of the cluster reaches the run's folder, as the driver does."""

import uuid

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from curation.core import storage
from curation.core.errors import InputError, WinnowError
from curation.core.storage_options import StorageOptions, configure, configured
from curation.engine.run.resources import alive_nodes

PATIENCE = 120.0  # seconds: a node's first task waits for a process to start


def check_visible(output: str) -> None:
    """Raises InputError for a node that does not see the folder: a path that only the driver has, a store that it may
    not read, a secret that is missing there. Asks nobody where the driver's node is the only one."""
    nodes = alive_nodes() if ray.is_initialized() else []
    if len(nodes) < 2:
        return
    probe, token = storage.join(output, f".visible-{uuid.uuid4().hex}"), uuid.uuid4().hex.encode()
    storage.make_folder(output)
    storage.write_bytes(probe, token)
    try:
        asked = {
            _why_unseen.options(
                num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ).remote(probe, token, configured()): node["NodeManagerAddress"]
            for node in nodes
        }
        for answer, address in asked.items():
            if why := ray.get(answer, timeout=PATIENCE):
                raise InputError(
                    f"node {address} does not see {output}, which the driver writes to ({why}); give an --output that "
                    "all nodes see: an object store, or a folder that every node mounts at the same path"
                )
    finally:
        storage.delete_file(probe)


@ray.remote(max_retries=1)
def _why_unseen(probe: str, token: bytes, options: StorageOptions) -> str:
    """Why this node does not see the file, or ""."""
    try:
        configure(options)
        return "" if storage.read_bytes(probe) == token else "another file is there"
    except (WinnowError, OSError) as error:
        return str(error)
