"""The bases of what a training config names, and where their components are found."""

import pytest
import torch
from torch import nn

from curation.core import catalog
from curation.core.verbs import VERBS
from training.config.components import DEFAULTS, MODEL, OPTIMIZER, Architecture, Optimizer, Schedule, default
from training.optim.adamw import Adamw


def test_a_default_stands_for_each_verb() -> None:
    assert default(OPTIMIZER) == Adamw()
    assert all(key in catalog.known(verb) for verb, key in DEFAULTS.items())


def test_no_verb_has_the_name_of_a_verb_of_a_recipe() -> None:
    assert not {verb.name for verb in DEFAULTS} & VERBS.keys()


def test_a_model_is_a_package_of_its_room() -> None:
    assert catalog.known(MODEL) == ["decoder", "electra", "encoder", "encoder_decoder", "two_stream"]
    assert catalog.source_of(MODEL, "decoder").parts[-2:] == ("decoder", "__init__.py")


def test_what_all_models_and_optimizers_refuse() -> None:
    with pytest.raises(ValueError, match="vocabulary is 0; give 1 or more"):
        Architecture(vocabulary=0)
    with pytest.raises(ValueError, match=r"learning_rate is 0\.0; give a number above 0"):
        Optimizer(learning_rate=0.0)


def test_a_rate_is_set_for_all_groups() -> None:
    weights = [{"params": [nn.Parameter(torch.ones(1))], "lr": rate} for rate in (1.0, 2.0)]
    sgd = torch.optim.SGD(weights, lr=3.0)
    Optimizer(learning_rate=1.0).set_rate(sgd, 0.5)
    assert [group["lr"] for group in sgd.param_groups] == [0.5, 0.5]


def test_a_schedule_fits_any_run_unless_it_says_otherwise() -> None:
    schedule = Schedule()
    schedule.check(1)
    assert schedule.shortened(1) is schedule
