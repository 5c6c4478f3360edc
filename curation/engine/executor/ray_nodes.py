"""The nodes of the Ray cluster, and whether they have what components need, before any work."""

from collections.abc import Iterable
from typing import Any

import ray

from curation.core.component import Components, needs_of
from curation.core.errors import RecipeError
from curation.core.needs import Needs


def alive_nodes() -> list[dict[str, Any]]:
    """The live nodes of the Ray cluster, each with its `Resources`; none without a cluster."""
    return [node for node in ray.nodes() if node["Alive"]] if ray.is_initialized() else []  # type: ignore[no-untyped-call]


def cluster_cores() -> int:
    """Cores of the Ray cluster; 1 without one."""
    return int(sum(node["Resources"].get("CPU", 0) for node in alive_nodes())) or 1


def can_hold(node: dict[str, Any], needs: Needs) -> bool:
    """Whether a task could ever run on the node."""
    needed = {"CPU": needs.num_cpus, "memory": needs.memory, "GPU": needs.num_gpus}
    return all(node["Resources"].get(name, 0) >= amount for name, amount in needed.items())


def check_resources(components: Components, nodes: Iterable[dict[str, Any]]) -> None:
    """Raises RecipeError for a component whose tasks no node could hold."""
    nodes = list(nodes)
    for key, component in components:
        needs = needs_of([component])
        if any(can_hold(node, needs) for node in nodes):
            continue
        most = {name: max((node["Resources"].get(name, 0) for node in nodes), default=0) for name in ("CPU", "GPU")}
        memory = max((node["Resources"].get("memory", 0) for node in nodes), default=0)
        raise RecipeError(
            f"{key} asks for {needs.num_cpus:g} cores, {needs.memory / 1e9:.1f} GB of memory and {needs.num_gpus:g} "
            f"GPUs for each task; the most that a node here has is {most['CPU']:g} cores, {memory / 1e9:.1f} GB and "
            f"{most['GPU']:g} GPUs; name a Ray cluster that has them with --address"
        )
