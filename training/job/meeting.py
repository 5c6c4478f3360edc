"""How the workers of one machine find each other: in a folder, where Ray Train opens a port to the whole network.

Ray Train has torch's TCPStore listen on every interface, without a token. This is its `_TorchBackend` with a FileStore.
"""

import uuid
from dataclasses import dataclass
from typing import Any

import ray
from ray.train._internal.base_worker_group import BaseWorkerGroup
from ray.train.backend import BackendConfig
from ray.train.torch import TorchConfig
from ray.train.torch.config import _set_torch_distributed_env_vars, _setup_torch_process_group, _TorchBackend

# The connections between the workers; torch and NCCL otherwise take the interface that the host's name stands for.
LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}


@dataclass
class MeetInFolder(TorchConfig):
    """Workers meet in `folder`, which all of them see; nobody else may write there."""

    folder: str = ""

    @property
    def backend_cls(self) -> type["_FileBackend"]:
        return _FileBackend


class _FileBackend(_TorchBackend):
    def on_start(self, worker_group: BaseWorkerGroup, backend_config: BackendConfig) -> None:
        assert isinstance(backend_config, MeetInFolder)
        # A file of its own for each group: what a lost one has written would mislead the next.
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
