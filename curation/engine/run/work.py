"""What a step of a stage does with each of its units; how units are executed is in `execution`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from curation.core.commits import Commit
from curation.core.component import Component, NeedsResources

MEMORY = 1 << 30  # bytes that a task of a step may take unless the step says otherwise
WAVE = 4096  # units in one execution, at least: bounds the driver's memory
ROUNDS = 8  # of units for each core in a wave, at least: at its end, cores wait for the last ones


def wave_units(cores: int) -> int:
    """How many units one execution takes on a cluster of so many cores."""
    return max(WAVE, ROUNDS * cores)


@dataclass(frozen=True)
class Unit:
    """One piece of work: its number within the step, and what the step needs to know to do it.

    `crashed` are rows, by their number in the unit, that kill the process of the component with that key: they are
    dropped unseen. `last` is True on the last attempt at the unit.
    """

    number: int
    payload: Any
    crashed: tuple[tuple[int, str], ...] = ()
    last: bool = False


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a task of a step takes of a node."""

    num_cpus: float = 1.0
    memory: int = MEMORY  # bytes
    num_gpus: float = 0.0


def needs_of(components: Iterable[Component]) -> Needs:
    """What a task with these components takes: the most of what each states."""
    stated = [one for one in components if isinstance(one, NeedsResources)]
    return Needs(
        num_cpus=max([1.0, *(one.num_cpus for one in stated)]),
        memory=max([MEMORY, *(one.memory for one in stated)]),
        num_gpus=max([0.0, *(one.num_gpus for one in stated)]),
    )


class Work(Protocol):
    """A step over units; pickles, knows no ray."""

    @property
    def needs(self) -> Needs: ...

    def run(self, unit: Unit) -> Commit:
        """Reads, maps and writes the unit, a block at a time, and says what it left. Its files become visible whole; a
        second run of the same unit leaves the same."""


@runtime_checkable
class Searchable(Work, Protocol):
    """A step whose units can be searched for a document that kills the process."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The components that look at the rows."""

    def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
        """Shows rows [start, stop) of the unit to all components, or to that one; writes nothing. Returns how many rows
        the unit has, all of which are read."""


@runtime_checkable
class Losable(Work, Protocol):
    """A step that a stage can be sealed without some units of."""

    def empty(self, unit: Unit) -> Commit:
        """Writes the unit's files without rows."""


class Cheap:
    """Base of a step whose tasks hold little."""

    @property
    def needs(self) -> Needs:
        return Needs()
