"""An optimizer of torch that applies the rule of one of our own to every weight.

A rule is a pure function of tensors, so that an update can be left out without asking the device: it is computed, and
where the step's gradients are not finite the old numbers are kept.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from training.optim.spread import local

Closure: TypeAlias = Callable[[], object]  # computes all gradients anew, unclipped, where the weights are


def update(optimizer: torch.optim.Optimizer, finite: Tensor, closure: Closure | None = None) -> None:
    """A step that changes nothing if `finite`, a scalar on the device, is 0. Only an optimizer that is neither winnow's
    own nor one of torch's fused ones makes this wait for the device."""
    if getattr(optimizer, "_step_supports_amp_scaling", False):
        # Of weights that wait on the CPU the number must be there; else nothing waits for it.
        device = local(optimizer.param_groups[0]["params"][0]).device
        optimizer.found_inf = (1 - finite.float()).to(device)  # type: ignore[attr-defined]
    elif not finite:
        return
    if closure is None:
        optimizer.step()
    else:
        optimizer.step(closure)  # type: ignore[arg-type]


class WeightPart(NamedTuple):
    """What an update of a weight depends on; tensors are this process's parts."""

    own: Tensor
    gradient: Tensor
    kept: Mapping[str, Tensor]  # with "step", float32[]: the number of its updates, this one included
    rate: float
    decay: float
    scale: float  # what the rate of all weights was multiplied by for this one
    width: float  # multiplier of the model's width, see `training.optim.width`
    hidden: bool  # a matrix between layers
    like: Tensor  # the weight, for what the processes compute together (see `training.optim.spread`)

    def moved(self, direction: Tensor) -> Tensor:
        """The weight once it has decayed and gone against a direction, each times the rate."""
        return (self.own * (1 - self.rate * self.decay)).sub_(direction, alpha=self.rate)


class Updates(torch.optim.Optimizer):
    """Changes nothing in a step where its `found_inf` is not 0, as torch's fused optimizers do."""

    _step_supports_amp_scaling = True  # what torch asks for that

    def __init__(
        self,
        groups: Iterable[dict[str, Any]],
        rate: float,
        *,
        begin: Callable[..., dict[str, Tensor]],
        changes: Callable[[Sequence[WeightPart]], Iterator[tuple[Tensor, dict[str, Tensor]]]],
        look: Callable[["Updates", Closure], None],
    ) -> None:
        """The rule's methods: see `training.optim.rule`."""
        self._begin = begin
        self._changes = changes
        self._look = look
        super().__init__(groups, {"lr": rate})

    def weights(self) -> list[tuple[Tensor, dict[str, Tensor], dict[str, Any]]]:
        """Those that have a gradient, with what is kept of each by name, and its group."""
        found = [(one, group) for group in self.param_groups for one in group["params"] if one.grad is not None]
        for weight, group in found:
            if not self.state[weight]:
                steps = torch.zeros((), device=local(weight).device)
                self.state[weight] |= self._begin(weight, hidden=group["hidden"]) | {"step": steps}
        return [(weight, self.state[weight], group) for weight, group in found]

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> None:  # type: ignore[override]
        """Updates all weights that have a gradient; the closure is the rule's."""
        if closure is not None:
            self._look(self, closure)
        parts = [_part(weight, state, group) for weight, state, group in self.weights()]
        for part, change in zip(parts, self._changes(parts), strict=True):
            self._write(part, *change)

    def gradients_at(self, moves: Sequence[Tensor], closure: Closure) -> list[Tensor]:
        """This process's parts of the gradients that the closure computes where the weights have made these moves. They
        are left in `grad`; the weights are exactly what they were."""
        weights = [weight for weight, _, _ in self.weights()]
        parts = [local(weight) for weight in weights]
        before = [part.clone() for part in parts]
        torch._foreach_add_(parts, list(moves))
        self.zero_grad()
        with torch.enable_grad():
            closure()
        torch._foreach_copy_(parts, before)
        return [local(weight.grad) for weight in weights if weight.grad is not None]

    def _write(self, part: WeightPart, moved: Tensor, after: Mapping[str, Tensor]) -> None:
        kept = {name: local(tensor) for name, tensor in self.state[part.like].items()}
        skip = getattr(self, "found_inf", None)
        after = {**after, "step": part.kept["step"]}
        for old, new in ((part.own, moved), *((kept[name], new) for name, new in after.items())):
            if skip is None:
                old.copy_(new)
            else:
                torch.where(skip.to(old.device, non_blocking=True) != 0, old, new, out=old)


def _part(weight: Tensor, state: Mapping[str, Tensor], group: Mapping[str, Any]) -> WeightPart:
    assert weight.grad is not None
    before = {name: local(tensor) for name, tensor in state.items()}
    kept = before | {"step": before["step"] + 1}
    facts = (group["lr"], group["weight_decay"], group["scale"], group["width"], group["hidden"])
    return WeightPart(local(weight), local(weight.grad), kept, *facts, like=weight)
