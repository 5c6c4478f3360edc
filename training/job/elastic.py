"""A training whose number of workers follows the cluster: fewer after a loss, more once there is room for them again.

Ray's own policy takes any number that fits between the bounds. Here it is the largest one that the layout and the batch
accept. After a loss it is taken once Ray must know which nodes are dead: with a node that is lost but still counts, the
workers would wait for it until RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S is over. What is imported here from `_internal`
is private to Ray 2.60.
"""

import time
from collections.abc import Sequence
from typing import Any

import ray
from ray._private.state import state
from ray.data._internal.cluster_autoscaler.base_autoscaling_coordinator import ReservedResources
from ray.train import Result, ScalingConfig
from ray.train.torch import TorchTrainer
from ray.train.v2._internal.callbacks.placement_group_callback import PlacementGroupCleanerCallback
from ray.train.v2._internal.execution.scaling_policy import ElasticScalingPolicy, NoopDecision, ScalingDecision

SETTLE_SECONDS = 20.0  # Ray asks a node every 3 s, and takes it for dead after 5 times without an answer


def allowed_gpus() -> int:
    """GPUs of a cluster once its autoscaler has started all nodes that it may; 0 without an autoscaler."""
    allowed = state.get_max_resources_from_cluster_config() or {}
    return int(allowed.get("GPU", 0))


class AcceptedSizes(ElasticScalingPolicy):
    """Gives the largest of `sizes` for which living nodes have room."""

    def __init__(self, scaling_config: ScalingConfig, sizes: Sequence[int]) -> None:
        super().__init__(scaling_config)  # type: ignore[arg-type]  # the two are one class where Ray runs
        self._sizes = sizes
        self._settled = 0.0

    def make_decision_for_running_worker_group(self, *args: Any, **options: Any) -> ScalingDecision:
        self._settled = time.monotonic() + SETTLE_SECONDS
        return super().make_decision_for_running_worker_group(*args, **options)

    def make_decision_for_non_running_worker_group(self) -> ScalingDecision:
        if time.monotonic() < self._settled:
            return NoopDecision()
        return super().make_decision_for_non_running_worker_group()

    def _count_possible_workers(self, reserved_resources: ReservedResources) -> int:
        alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}  # type: ignore[no-untyped-call]
        living = {node: resources for node, resources in reserved_resources.items() if node in alive}
        room = super()._count_possible_workers(living)
        return max((size for size in self._sizes if size <= room), default=0)


class ElasticTrainer(TorchTrainer):
    """Trains with as many of `sizes`, ascending, as there is room for.

    `own_ray`: this process has started Ray, and nothing outlives it. Ray's actor that would remove what a dead training
    reserved is left out there: it asks a dashboard, which that Ray has not, and each training ended 12 s later."""

    def __init__(self, *args: Any, sizes: Sequence[int], own_ray: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self._sizes = sizes
        self._own_ray = own_ray

    def _initialize_and_run_controller(self, **options: Any) -> Result:
        if len(self._sizes) > 1:
            options["scaling_policy"] = AcceptedSizes(self.scaling_config, self._sizes)
        if self._own_ray:
            asked = options["callbacks"]
            options["callbacks"] = [one for one in asked if not isinstance(one, PlacementGroupCleanerCallback)]
        result: Result = super()._initialize_and_run_controller(**options)  # type: ignore[misc]  # of Train's second version
        return result

    def _register_sigint_handler(self, controller: Any) -> None:
        """Leaves Ctrl-C to `training.job.stopping`; Ray's own handler ends the workers without a checkpoint."""
