"""What a step's task takes of a node is the most that its components state."""

from dataclasses import dataclass

from curation.core.component import Component, needs_of
from curation.core.needs import MEMORY, Needs
from curation.filters.gopher_quality import GopherQuality


@dataclass(frozen=True)
class Large(Component):
    def needs(self) -> Needs:
        return Needs(num_cpus=2.0, memory=8 << 30, num_gpus=0.5)


def test_needs_are_the_most_that_is_stated() -> None:
    assert needs_of([GopherQuality()]) == Needs(num_cpus=1.0, memory=MEMORY, num_gpus=0.0)
    assert needs_of([GopherQuality(), Large()]) == Needs(num_cpus=2.0, memory=8 << 30, num_gpus=0.5)
