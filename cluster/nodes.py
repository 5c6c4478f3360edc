"""Checks, before a run begins, that every node of a Ray cluster has the same winnow, the files and the output."""

import pickle
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import cloudpickle
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import cluster.entry
from cluster.entry import identity
from curation.core import storage
from curation.core.component import Component
from curation.core.errors import InputError, StageError
from curation.core.storage_options import StorageOptions, configured

BY_VALUE = (cluster.entry, sys.modules[__name__])  # a node may have no winnow to find these in
SECONDS = 300.0  # for every node to answer: each starts a process, which imports Ray
SKEW = 600.0  # seconds; S3 refuses what was signed 900 seconds from now


@dataclass(frozen=True)
class NodeAnswer:
    """A node's answer: the identity of its winnow (`cluster.entry`), the paths that it lacks, why it cannot read a file
    that the driver wrote into the output ("" if it can), and what is wrong with a key ("" if nothing is)."""

    winnow: str
    missing: tuple[str, ...]
    unseen: str
    keyless: str


def check_nodes(paths: Sequence[str], output: str, keyed: Sequence[Component] = ()) -> None:
    """Asks each node of the connected cluster that can run tasks. Of `paths`, only local ones are checked.

    Raises InputError, naming the node, if it has no winnow or another one, if it lacks one of `paths`, or if it cannot
    read what this process writes into `output`, because only the driver has that path, the store denies access, or a
    secret is missing, or if it lacks the key of one of the components `keyed`. Nodes that join later are not asked.
    Where it raises, the output is as it was before.
    """
    here = ray.get_runtime_context().get_node_id()
    nodes = [node for node in ray.nodes() if node["Alive"] and _works(node, here)]  # type: ignore[no-untyped-call]
    local = tuple(storage.resolve(path)[1] for path in paths if not storage.in_store(path))
    probe = storage.join(storage.absolute(output), f"_partial.probe-{uuid.uuid4().hex}")
    token = uuid.uuid4().hex
    is_new = not storage.exists(output)
    storage.make_folder(output)
    try:
        storage.write_bytes(probe, token.encode())
        seen = _ask(nodes, local, probe, token, (configured(), tuple(keyed)))
        for node, there in zip(nodes, seen, strict=True):
            _judge(f"the node {node['NodeManagerHostname']} ({node['NodeManagerAddress']})", there, identity(), output)
    except Exception:
        if is_new:
            storage.delete_folder(output)
        raise
    finally:
        storage.delete_file(probe)


def _judge(node: str, there: NodeAnswer, own: str, output: str) -> None:
    """Raises InputError if the node lacks something."""
    same = "install the same wheel on every node, or submit it with the job: winnow submit --wheel FILE"
    if not there.winnow:
        raise InputError(f"{node} has no winnow; {same}")
    if there.winnow != own:
        raise InputError(f"{node} has winnow {there.winnow}, this process {own}; {same}")
    if there.unseen:
        raise InputError(
            f"{node} does not see what is written into {output} here ({there.unseen}); give an --output on a file "
            "system that all nodes share, or a URI such as s3://BUCKET/RUN"
        )
    if there.keyless:
        raise InputError(f"{node}: {there.keyless}")
    if there.missing:
        raise InputError(
            f"{node} has no {there.missing[0]}; put it at this path on every node, name it by a URI, or in a recipe by "
            "a relative path, which goes with a submitted job"
        )


def _works(node: dict[str, Any], here: str) -> bool:
    return bool(node["NodeID"] == here or node["Resources"].get("CPU", 0) > 0)


def _ask(
    nodes: Sequence[dict[str, Any]],
    paths: tuple[str, ...],
    probe: str,
    token: str,
    needs: tuple[StorageOptions, tuple[Component, ...]],
) -> list[NodeAnswer]:
    for module in BY_VALUE:
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        look = ray.remote(num_cpus=0, max_retries=2)(_look)
        asked = [
            look.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
                paths, probe, token, pickle.dumps(needs), time.time()
            )
            for node in nodes
        ]
        return [NodeAnswer(*answer) for answer in ray.get(asked, timeout=SECONDS)]
    except RayError as error:
        raise StageError(f"not every node of the Ray cluster answers: {' '.join(str(error).split())[:300]}") from error
    finally:
        for module in BY_VALUE:
            cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]


def _look(
    paths: tuple[str, ...], probe: str, token: str, needs: bytes, now: float
) -> tuple[str, tuple[str, ...], str, str]:
    own = identity()
    missing = tuple(path for path in paths if not Path(path).exists())
    if not own:  # nothing of what is pickled is known here
        return own, missing, "", ""
    return own, missing, _unseen(probe, token, needs, now), _keyless(needs)


def _keyless(needs: bytes) -> str:
    """What is wrong with the first key that cannot be used on this node, "" if all can."""
    from curation.core.errors import WinnowError

    try:
        for component in pickle.loads(needs)[1]:
            component.check_key()
    except WinnowError as error:
        return str(error)
    return ""


def _unseen(probe: str, token: str, needs: bytes, now: float) -> str:
    """Why this node cannot read the file, "" if it can. `now` is the time by the driver's clock."""
    from curation.core import storage
    from curation.core.errors import WinnowError
    from curation.core.storage_options import configure

    try:
        configure(pickle.loads(needs)[0])
        return "" if storage.read_bytes(probe) == token.encode() else "another file is there"
    except (WinnowError, OSError) as error:
        ahead = time.time() - now
        clock = f"; its clock is {ahead / 3600:+.1f} h off the driver's" if abs(ahead) > SKEW else ""
        return f"{error}{clock}"
