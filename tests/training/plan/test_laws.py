"""Laws at the figures of their papers."""

from math import exp, inf

import pytest

from curation.core.errors import InputError
from training.plan.laws import BESIROGLU, HOFFMANN, PF_DAY, PUBLISHED, KaplanLaw, PowerLaw, effective_tokens

CHINCHILLA = 5.76e23  # floating-point operations
PRINTED = PowerLaw(irreducible=1.69, model_scale=406.4, model_exponent=0.34, data_scale=410.7, data_exponent=0.28)


def test_the_refit_advises_chinchilla_itself() -> None:
    best = BESIROGLU.optimum(CHINCHILLA)
    assert best.parameters == pytest.approx(72.2e9, rel=0.002)
    assert best.tokens == pytest.approx(1.33e12, rel=0.002)
    assert best.flops == pytest.approx(CHINCHILLA)
    assert PUBLISHED["Besiroglu et al. 2024"] is BESIROGLU


def test_hoffmanns_law_is_not_the_one_of_two_digits() -> None:
    assert PRINTED.optimum(CHINCHILLA).parameters == pytest.approx(32.2e9, rel=0.002)
    assert HOFFMANN.optimum(CHINCHILLA).parameters == pytest.approx(40.3e9, rel=0.002)


def test_no_other_split_of_a_budget_is_better() -> None:
    best = BESIROGLU.optimum(1e21)
    for times in (0.9, 1.1):
        assert BESIROGLU.loss(best.parameters * times, best.tokens / times) > best.loss
    assert BESIROGLU.loss(inf, inf) == BESIROGLU.irreducible
    assert BESIROGLU.parameters_for(best.tokens) == pytest.approx(best.parameters)


def test_kaplan() -> None:
    law = KaplanLaw()
    assert law.optimum(PF_DAY).parameters == pytest.approx(1.3e9)  # table 6
    assert law.optimum(1000 * PF_DAY).parameters == pytest.approx(1.3e9 * 10**2.19)
    assert law.loss(6.4e13, inf) == pytest.approx(1)  # N_c and D_c are where either part alone is one nat
    assert law.loss(inf, 1.8e13) == pytest.approx(1)


def test_a_model_that_is_used_is_smaller_and_reads_more() -> None:
    best = BESIROGLU.optimum(CHINCHILLA)
    served = BESIROGLU.served_optimum(CHINCHILLA, 1e12)
    assert served.parameters < best.parameters
    assert served.loss == pytest.approx(BESIROGLU.loss(served.parameters, served.tokens))

    def cost(parameters: float) -> float:
        return 6 * parameters * BESIROGLU.tokens_to(best.loss, parameters) + 2 * parameters * 1e12

    assert all(cost(served.parameters * times) > cost(served.parameters) for times in (0.98, 1.02))
    assert BESIROGLU.served_optimum(CHINCHILLA, 0).parameters == pytest.approx(best.parameters)


def test_a_loss_that_no_data_bring_is_refused() -> None:
    with pytest.raises(InputError, match=r"1e\+09 parameters never come to a loss of 1\.900, only to 2\.174"):
        BESIROGLU.tokens_to(1.9, 1e9)


@pytest.mark.parametrize(
    ("epochs", "worth"),
    [(1, 1), (4, 1 + 15.387756 * (1 - exp(-3 / 15.387756))), (16, 10.58), (1e6, 16.387756)],
)
def test_tokens_that_repeat_are_worth_less(epochs: float, worth: float) -> None:
    assert effective_tokens(epochs * 1e9, 1e9) == pytest.approx(worth * 1e9, rel=0.001)


def test_repeats_raise_the_loss() -> None:
    assert BESIROGLU.repeated_loss(1e9, 1e11, 1e12) == BESIROGLU.loss(1e9, 1e11)
    four = BESIROGLU.repeated_loss(1e9, 1e11, 25e9)
    fifty = BESIROGLU.repeated_loss(1e9, 1e11, 2e9)
    assert BESIROGLU.loss(1e9, 1e11) < four < fifty
    # More parameters than 25 B tokens call for count for less too.
    assert BESIROGLU.repeated_loss(1e11, 25e9, 25e9) > BESIROGLU.loss(1e11, 25e9)
