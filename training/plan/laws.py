"""Laws of the loss in a model's parameters N and its training tokens D, and which N and D a budget buys.

A budget is C = 6 N D floating-point operations. Losses are nats per token of the text that a law was fitted to, so
those of two laws are not compared; what N and D they advise is. N counts all parameters, embeddings too, as Hoffmann et
al. do; that of Kaplan et al. is without embeddings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar, NamedTuple

from curation.core.errors import InputError

TRAINING = 6.0  # floating-point operations of a parameter and a token: forward and backward, without attention's scores
INFERENCE = 2.0  # forward alone
PF_DAY = 1e15 * 86_400  # floating-point operations in a petaflop/s-day


class Allocation(NamedTuple):
    """What to train, and on how much."""

    parameters: float
    tokens: float
    loss: float  # expected, nats per token

    @property
    def flops(self) -> float:
        """Of the training."""
        return TRAINING * self.parameters * self.tokens


@dataclass(frozen=True, kw_only=True)
class PowerLaw:
    """L(N, D) = E + A / N^alpha + B / D^beta.

    Source: Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models" (arXiv:2203.15556), approach 3."""

    irreducible: float  # E, nats per token: what no model and no data of any size takes away
    model_scale: float  # A
    model_exponent: float  # alpha
    data_scale: float  # B
    data_exponent: float  # beta

    def loss(self, parameters: float, tokens: float) -> float:
        model = self.model_scale * parameters**-self.model_exponent
        return float(self.irreducible + model + self.data_scale * tokens**-self.data_exponent)

    def optimum(self, flops: float) -> Allocation:
        """In closed form: where a little more of N and of D, at the same cost, take away the same."""
        share = self.data_exponent / (self.model_exponent + self.data_exponent)
        parameters = self._ratio * (flops / TRAINING) ** share
        tokens = flops / TRAINING / parameters
        return Allocation(parameters, tokens, self.loss(parameters, tokens))

    @property
    def _ratio(self) -> float:
        """(alpha A / (beta B))^(1 / (alpha + beta)), the paper's G."""
        slopes = self.model_exponent * self.model_scale / (self.data_exponent * self.data_scale)
        return float(slopes ** (1 / (self.model_exponent + self.data_exponent)))

    def parameters_for(self, tokens: float) -> float:
        """The N of that optimum whose D is `tokens`."""
        return float((tokens * self._ratio) ** (self.data_exponent / self.model_exponent) * self._ratio)

    def tokens_to(self, loss: float, parameters: float) -> float:
        """The D with which N = `parameters` comes to the loss. Raises InputError if no D does."""
        left = loss - self.irreducible - self.model_scale * parameters**-self.model_exponent
        if left <= 0:
            least = self.loss(parameters, float("inf"))
            raise InputError(f"{parameters:.3g} parameters never come to a loss of {loss:.3f}, only to {least:.3f}")
        return float((self.data_scale / left) ** (1 / self.data_exponent))

    def served_optimum(self, flops: float, served: float) -> Allocation:
        """The N and D that reach the loss of `optimum(flops)` and cost least with the `served` tokens of inference:
        6 N D + 2 N `served`.

        Source: Sardana et al. 2023, "Beyond Chinchilla-Optimal" (arXiv:2401.00448), equation 2."""
        from scipy.optimize import minimize_scalar  # takes a second

        best = self.optimum(flops)
        smallest = log(self.model_scale / (best.loss - self.irreducible)) / self.model_exponent  # needs endless data

        def cost(log_parameters: float) -> float:
            parameters = exp(log_parameters)
            return log(parameters * (TRAINING * self.tokens_to(best.loss, parameters) + INFERENCE * served))

        found = minimize_scalar(cost, bounds=(smallest, log(best.parameters)), options={"xatol": 1e-9})
        return Allocation(exp(found.x), self.tokens_to(best.loss, exp(found.x)), best.loss)

    def repeated_loss(self, parameters: float, tokens: float, unique: float) -> float:
        """The loss where only `unique` of the tokens differ and the others repeat them: both repeated tokens and
        parameters beyond what `unique` tokens call for count for less and less.

        Source: Muennighoff et al. 2023, "Scaling Data-Constrained Language Models" (arXiv:2305.16264), equations 5 and
        6. The constants of the decay are those of GPT-2-like models on C4, whatever text this law was fitted to.
        """
        unique = min(unique, tokens)
        fitting = min(self.parameters_for(unique), parameters)
        return self.loss(_worth(parameters, fitting, REPEATED_PARAMETERS), effective_tokens(tokens, unique))


REPEATED_TOKENS = 15.387756  # R*_D, of Muennighoff et al., appendix A
REPEATED_PARAMETERS = 5.309743  # R*_N


def effective_tokens(tokens: float, unique: float) -> float:
    """As many tokens, all different, teach as much as `tokens` of which `unique` differ."""
    return _worth(tokens, min(unique, tokens), REPEATED_TOKENS)


def _worth(whole: float, unique: float, decay: float) -> float:
    return unique * (1 + decay * (1 - exp(-(whole / unique - 1) / decay)))


@dataclass(frozen=True, kw_only=True)
class KaplanLaw:
    """L(N, D) = ((N_c / N)^(alpha_N / alpha_D) + D_c / D)^alpha_D, which has no irreducible loss, and optima that were
    fitted apart from it. N is without embeddings.

    Source: Kaplan et al. 2020, "Scaling Laws for Neural Language Models" (arXiv:2001.08361), tables 2 and 6."""

    model_exponent: ClassVar[float] = 0.076
    data_exponent: ClassVar[float] = 0.103
    model_scale: ClassVar[float] = 6.4e13  # parameters
    data_scale: ClassVar[float] = 1.8e13  # tokens
    optimum_scale: ClassVar[float] = 1.3e9  # parameters for a petaflop/s-day
    optimum_exponent: ClassVar[float] = 0.73

    def loss(self, parameters: float, tokens: float) -> float:
        model = (self.model_scale / parameters) ** (self.model_exponent / self.data_exponent)
        return float((model + self.data_scale / tokens) ** self.data_exponent)

    def optimum(self, flops: float) -> Allocation:
        """As in Law, of batches so small that no operation is lost."""
        parameters = self.optimum_scale * (flops / PF_DAY) ** self.optimum_exponent
        tokens = flops / TRAINING / parameters
        return Allocation(parameters, tokens, self.loss(parameters, tokens))


# Hoffmann's as in the paper's source, to four digits; the two that the paper prints give 32.2 B parameters for
# Chinchilla's budget instead of 40.3 B. Besiroglu et al. 2024 (arXiv:2404.10102), table 1, has both.
HOFFMANN = PowerLaw(
    irreducible=1.6934, model_scale=406.4, model_exponent=0.3392, data_scale=410.7, data_exponent=0.2849
)
BESIROGLU = PowerLaw(
    irreducible=1.8172, model_scale=482.01, model_exponent=0.3478, data_scale=2085.43, data_exponent=0.3658
)
MUENNIGHOFF = PowerLaw(
    irreducible=exp(0.6254804),
    model_scale=exp(6.255414),
    model_exponent=0.3526596,
    data_scale=exp(7.3049974),
    data_exponent=0.3526596,
)
PUBLISHED: Mapping[str, PowerLaw | KaplanLaw] = {
    "Kaplan et al. 2020": KaplanLaw(),
    "Hoffmann et al. 2022": HOFFMANN,
    "Besiroglu et al. 2024": BESIROGLU,
    "Muennighoff et al. 2023": MUENNIGHOFF,
}
