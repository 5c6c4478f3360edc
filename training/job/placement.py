"""Which nodes of a Ray cluster a training may use."""

import ray

from curation.core.errors import InputError
from training.health.nodes import left_out

NODE = "ray.io/node-id"  # a label that Ray gives each node


def without_bad_nodes(output: str) -> dict[str, str] | None:
    """Ray's selector of nodes, None for all: without those that the training in `output` leaves out.

    Raises InputError if none is left."""
    bad = left_out(output)
    if not bad:
        return None
    alive = [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    ids = [node["NodeID"] for node in alive if node["NodeManagerHostname"] in bad]
    if not ids:
        return None
    if len(ids) == len(alive):
        host, reason = next(iter(bad.items()))
        raise InputError(
            f"no node is left to train on: {host} is left out, {reason}; add one, or repair it (docs/faults.md)"
        )
    return {NODE: f"!in({','.join(sorted(ids))})"}
