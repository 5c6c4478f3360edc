"""What a budget buys by a law: the best model and data, and what changes where it is used or where its data repeat."""

from dataclasses import dataclass, replace

import numpy as np

from training.plan.fit import EXTRAPOLATION, Interval, LawFit
from training.plan.laws import KaplanLaw, PowerLaw


@dataclass(frozen=True, kw_only=True)
class Advice:
    """For a budget of a training."""

    flops: float
    parameters: float
    tokens: float
    loss: float  # nats per token
    parameters_interval: Interval | None = None  # of a law that was fitted here
    served_parameters: float | None = None  # that reach the same loss and cost least with the inference asked for …
    served_tokens: float | None = None  # … and their training tokens
    repeated_loss: float | None = None  # with the best model, where only the tokens asked for are unique

    @property
    def ratio(self) -> float:
        """Tokens per parameter."""
        return self.tokens / self.parameters


def advise(law: PowerLaw | KaplanLaw, flops: float, *, served: float | None, unique: float | None) -> Advice:
    """`served`: tokens of inference; `unique`: different tokens that there are. Kaplan's law says nothing of these."""
    best = law.optimum(flops)
    found = Advice(flops=flops, parameters=best.parameters, tokens=best.tokens, loss=best.loss)
    if isinstance(law, KaplanLaw):
        return found
    if served is not None:
        smaller = law.served_optimum(flops, served)
        found = replace(found, served_parameters=smaller.parameters, served_tokens=smaller.tokens)
    if unique is not None:
        found = replace(found, repeated_loss=law.repeated_loss(best.parameters, best.tokens, unique))
    return found


def advise_beyond(fit: LawFit, *, served: float | None, unique: float | None) -> list[Advice]:
    """For powers of ten from the operations of the largest run to as many as a law is carried to."""
    first = int(np.ceil(np.log10(fit.largest)))
    last = int(np.log10(fit.largest * EXTRAPOLATION))
    return [
        replace(
            advise(fit.law, flops, served=served, unique=unique),
            parameters_interval=fit.interval(lambda law, flops=flops: law.optimum(flops).parameters),  # type: ignore[misc]
        )
        for flops in (10.0**power for power in range(first, last + 1))
    ]
