"""What a task needs of a node."""

from dataclasses import dataclass

MEMORY = 1 << 30  # bytes that a task may take unless its step or a component says otherwise


@dataclass(frozen=True, kw_only=True)
class Needs:
    """Cores, bytes and GPUs of one task."""

    num_cpus: float = 1.0
    memory: int = MEMORY  # bytes
    num_gpus: float = 0.0
