"""The interfaces of a step: its units, what a task on one needs, and what it does with it; an executor runs them."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from curation.core.commits import Commit
from curation.core.needs import Needs

WAVE = 4096  # units in one execution, at least: bounds the driver's memory
WHOLE = -1  # in place of a row: the input file itself ends the process
ROUNDS = 8  # units per core in an execution, at least: at its end, cores wait for the last ones


def wave_units(cores: int) -> int:
    """The number of units in one execution on a cluster of so many cores."""
    return max(WAVE, ROUNDS * cores)


@dataclass(frozen=True)
class Unit:
    """One piece of work: its number within the step, and what the step needs to know to do it.

    `crashed`: (row in the unit, key of the component whose process it kills) of rows that are dropped unseen, and
    (WHOLE, path) of input files that are not opened. `last` is True on the last attempt at the unit.
    """

    number: int
    payload: Any
    crashed: tuple[tuple[int, str], ...] = ()
    last: bool = False


class Work(Protocol):
    """A step over units; pickles, knows no ray."""

    @property
    def needs(self) -> Needs: ...

    def run(self, unit: Unit) -> Commit:
        """Reads, maps and writes the unit, a block at a time. Files become visible whole; a second run of the same unit
        writes the same."""


@runtime_checkable
class Searchable(Work, Protocol):
    """A step whose units can be searched for a document that kills the process."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The components that look at the rows."""

    def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
        """Passes rows [start, stop) of the unit to all components, or to the one of that key; writes nothing. Reads all
        rows of the unit and returns their number."""


@runtime_checkable
class ReadsFiles(Searchable, Protocol):
    """A step whose units can also be searched for an input file that kills the process."""

    def files(self, unit: Unit) -> list[tuple[str, Unit]]:
        """Path of each input file, and a unit of that file alone."""


@runtime_checkable
class Losable(Work, Protocol):
    """A step of which a stage can be sealed without some units."""

    def empty(self, unit: Unit) -> Commit:
        """Writes the unit's files without rows."""


class Cheap:
    """Base of a step whose tasks need little memory."""

    @property
    def needs(self) -> Needs:
        return Needs()
