"""What a recipe or a training config names: a frozen dataclass that is both config and code, and declares what it is.

Nothing about a component is found out by trying: a plan, an address and a description read what stands here. Bases with
the methods of each verb are in `filter`, `protocols` and `fits`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Self, TypeAlias, TypeVar

import pyarrow as pa

from curation.core.close_names import nearest
from curation.core.limits import Limit
from curation.core.needs import Needs
from curation.core.verbs import Verb

Files: TypeAlias = str | tuple[str, ...] | Mapping[str, str]  # a path or URI, several in order, or several by name
Signals: TypeAlias = Mapping[str, pa.DataType]  # name -> type of what stands in the component's column


@dataclass(frozen=True, kw_only=True)
class Component:
    """Base of all components: each is in a module named after its recipe key, is pure, and pickles.

    A subclass states what differs from the defaults. What depends on the options is a method.
    """

    verb: ClassVar[Verb | None] = None  # whose stages take it; None: no stage of a recipe
    called: ClassVar[str] = ""  # its key, of a class that is neither winnow's own nor an installed package's
    version: ClassVar[int] = 1  # raised when the same input gives another output
    reads: ClassVar[tuple[str, ...]] = ()  # columns of documents, which the stage must have
    reads_if_there: ClassVar[tuple[str, ...]] = ()  # columns of those documents of a joined stage that have them
    by_source: ClassVar[Mapping[str, str]] = {}  # such a column -> option that stands in for it, for all or by source
    limits: ClassVar[tuple[Limit, ...]] = ()  # on its signals, in the order in which they are tried
    deciding: ClassVar[tuple[str, ...]] = ()  # further options that change which limits hold, and not what is measured
    fitted_by: ClassVar[Mapping[str, str]] = {}  # option with an asset -> key of the fit that makes it; else the same
    libraries: ClassVar[tuple[str, ...]] = ()  # that decide its output: their versions enter the stage's address
    holds: ClassVar[Mapping[str, Verb]] = {}  # option that is a mapping of components by key -> their verb
    holds_several: ClassVar[tuple[str, ...]] = ()  # such options that take several where a stage of the verb takes one
    added: ClassVar[tuple[str, ...]] = ()  # options of a later version: at their default they do not enter the address

    def __new__(cls, *_: object, **options: object) -> Self:
        """Raises TypeError for an option that it does not have, with the nearest name."""
        known = [field.name for field in fields(cls) if field.init]
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            raise TypeError(f"{cls.__name__} has no option {unknown!r}{nearest(unknown, known)}")
        return super().__new__(cls)

    def signal_types(self) -> Signals:
        """What it adds for each document, in order."""
        return {}

    def check_columns(self, columns: Mapping[str, pa.DataType]) -> None:
        """Raises RecipeError where one of the columns that it reads is of no use to it; each of `reads` is there."""

    def assets(self) -> Mapping[str, Files]:
        """Option -> the files that it names, in a form that the option itself could have; their content's hash enters
        the stage's address. Raises InputError if one is missing."""
        return {}

    def resolved(self) -> Self:
        """The component with the values that its files decide in place of options that leave them to the files. The
        address of a stage has these. Raises InputError where the files do not decide."""
        return self

    def needs(self) -> Needs:
        """What a task with it takes of a node."""
        return Needs()

    def packages(self) -> tuple[str, ...]:
        """Packages that it needs with these options and that do not decide its output."""
        return ()

    def notes(self) -> tuple[str, ...]:
        """What is to be known before its stage runs, a line each."""
        return ()

    def check_key(self) -> None:
        """Raises InputError if the secret that it reads where it runs is not there, or not kept as one. Called before
        any work, on every node: no file of a run holds the secret, nor a hash of it."""


C = TypeVar("C")
Keyed: TypeAlias = tuple[tuple[str, C], ...]  # components with their keys, in the recipe's order
Components: TypeAlias = Keyed[Component]


def each(kind: type[C], components: Components) -> Keyed[C]:
    """The components, each of which is of this class."""
    keyed = tuple((key, component) for key, component in components if isinstance(component, kind))
    assert len(keyed) == len(components), f"each of {', '.join(key for key, _ in components)} is a {kind.__name__}"
    return keyed


def only(kind: type[C], components: Components) -> tuple[str, C]:
    """The only component, which is of this class, with its key."""
    (one,) = each(kind, components)
    return one


def struct_type(signals: Signals) -> pa.StructType:
    """The type of a column of signals."""
    return pa.struct(list(signals.items()))


def needs_of(components: Iterable[Component]) -> Needs:
    """What a task with these components takes: the maximum of each."""
    every = [Needs(), *(component.needs() for component in components)]
    return Needs(
        num_cpus=max(needs.num_cpus for needs in every),
        memory=max(needs.memory for needs in every),
        num_gpus=max(needs.num_gpus for needs in every),
    )
