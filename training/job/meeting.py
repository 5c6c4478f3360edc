"""Lets the workers of one machine find each other in a folder instead of through a port that is open to the network.

Ray Train's `_TorchBackend` makes torch's TCPStore listen on every interface, without a token; this uses a FileStore.
"""

import uuid
from dataclasses import dataclass
from typing import Any

import ray
from ray.train._internal.base_worker_group import BaseWorkerGroup
from ray.train.backend import BackendConfig
from ray.train.torch import TorchConfig
from ray.train.torch.config import _set_torch_distributed_env_vars, _setup_torch_process_group, _TorchBackend


@dataclass
class MeetInFolder(TorchConfig):
    """Workers meet in `folder`, which all of them see and nobody else may write to."""

    folder: str = ""

    @property
    def backend_cls(self) -> type["_FileBackend"]:
        return _FileBackend


class _FileBackend(_TorchBackend):
    def on_start(self, worker_group: BaseWorkerGroup, backend_config: BackendConfig) -> None:
        assert isinstance(backend_config, MeetInFolder)
        # Each group has its own file: entries of a lost group would mislead the next.
        meeting = f"file://{backend_config.folder}/{uuid.uuid4().hex}"
        worker_group.execute(_set_torch_distributed_env_vars)
        joining: list[Any] = [
            worker_group.execute_single_async(
                rank,
                _setup_torch_process_group,
                backend=backend_config.backend,
                world_rank=rank,
                world_size=len(worker_group),
                init_method=meeting,
                timeout_s=backend_config.timeout_s,
            )
            for rank in range(len(worker_group))
        ]
        ray.get(joining)
