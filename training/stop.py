"""Ends a training between two steps, with a checkpoint: all processes agree on the step without waiting for the device.

A launcher's signal reaches processes at different moments, so each step they tell each other who was asked; what they
hear comes from the step before.
"""

from threading import Event

import torch
import torch.distributed as dist


class StopRequest:
    """`asked` is set by anybody in any process. Every process of the group makes one and calls it each step."""

    def __init__(self, asked: Event) -> None:
        self._asked = asked
        self._group = dist.new_group(backend="gloo")
        self._count = torch.zeros(())
        self._sum: dist.Work | None = None

    def agreed(self) -> bool:
        """Whether somebody had been asked before the last call; the same in all processes."""
        self.close()
        found = bool(self._count)
        self._count = torch.tensor(float(self._asked.is_set()))
        self._sum = dist.all_reduce(self._count, group=self._group, async_op=True)
        return found

    def close(self) -> None:
        """Waits for what is being told."""
        if self._sum:
            self._sum.wait()
            self._sum = None
