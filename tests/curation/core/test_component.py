"""A component declares what it is; what it does not state has the default of all components."""

import pickle
from dataclasses import dataclass, replace

import pytest

from curation.core.component import Component, needs_of
from curation.core.needs import MEMORY, Needs


@dataclass(frozen=True, kw_only=True)
class Large(Component):
    cores: float = 2.0

    def needs(self) -> Needs:
        return Needs(num_cpus=self.cores, memory=3 * MEMORY)


def test_what_a_component_does_not_state_has_a_default() -> None:
    plain = Component()
    assert (plain.version, plain.reads, plain.limits, plain.libraries, plain.verb) == (1, (), (), (), None)
    assert (plain.assets(), plain.signal_types(), plain.notes(), plain.packages()) == ({}, {}, (), ())
    assert plain.needs() == Needs(num_cpus=1.0, memory=MEMORY, num_gpus=0.0)


def test_the_needs_of_several_are_the_maximum_of_each() -> None:
    assert needs_of([]) == Needs()
    assert needs_of([Large(), Component(), Large(cores=0.5)]) == Needs(num_cpus=2.0, memory=3 * MEMORY)


def test_an_option_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"^Large has no option 'core'; did you mean 'cores'\?$"):
        Large(core=1.0)  # type: ignore[call-arg]
    same = replace(Large(), cores=1.0)
    assert pickle.loads(pickle.dumps(same)) == same == Large(cores=1.0)
