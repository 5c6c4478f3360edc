"""The protocol of all components, and optional ones beside that of their verb (`curation/core/protocols.py`)."""

from collections.abc import Mapping
from dataclasses import Field
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, runtime_checkable

import pyarrow as pa

from curation.core.verbs import Verb


class Component(Protocol):
    """What a recipe key names: a frozen dataclass that is both config and code."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    version: ClassVar[int]


C = TypeVar("C")
Keyed: TypeAlias = tuple[tuple[str, C], ...]  # components with their keys, in the recipe's order
Components: TypeAlias = Keyed[Component]


@runtime_checkable
class UsesFitted(Protocol):
    """A component with an option whose asset comes from a fit with another key."""

    fitted_by: ClassVar[Mapping[str, str]]  # option -> key of the fit


@runtime_checkable
class UsesLibraries(Protocol):
    """A component whose output depends on libraries: their versions enter the stage's address."""

    libraries: ClassVar[tuple[str, ...]]


@runtime_checkable
class NeedsPackages(Protocol):
    """A component that needs packages which do not decide its output, or not with every option."""

    def packages(self) -> tuple[str, ...]:
        """Their names."""
        ...


@runtime_checkable
class ReadsColumns(Protocol):
    """A component that reads columns of documents, which the stage must have."""

    reads: ClassVar[tuple[str, ...]]


@runtime_checkable
class ReadsIfThere(Protocol):
    """A component that reads columns of those documents that have them: a joined stage's may lack some."""

    reads_if_there: tuple[str, ...]
    by_source: ClassVar[Mapping[str, str]]  # column -> option that stands in for it, one value for all or by source


@runtime_checkable
class NeedsResources(Protocol):
    """A component whose tasks take more of a node than one core and MEMORY (`curation/engine/run/work.py`)."""

    num_cpus: ClassVar[float]
    memory: ClassVar[int]  # bytes
    num_gpus: ClassVar[float]


@runtime_checkable
class HasNotes(Protocol):
    """A component of which something is to be known before its stage runs."""

    def notes(self) -> tuple[str, ...]:
        """A line each."""


@runtime_checkable
class UsesKey(Protocol):
    """A component with a secret that it reads where it runs: no file of a run holds it, nor a hash of it."""

    def check_key(self) -> None:
        """Raises InputError if the secret is not there, or not kept as one. Called before any work, on every node."""


@runtime_checkable
class HasLaterOptions(Protocol):
    """A component with options from a later version: at their default they do not enter the address, so that stages of
    earlier versions are still found."""

    added: ClassVar[tuple[str, ...]]


class Redacting(Protocol):
    """A rewriter that takes out what may not be kept: the texts that it read are originals, see `engine/privacy`."""

    redacts: ClassVar[bool]  # always True

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """As in `curation.core.protocols.Rewriter`."""

    def urls(self, urls: pa.Array) -> pa.Array:
        """string[N] -> string[N]: URLs of the same host without the values found in them; nulls stay. Equal URLs become
        equal ones, whatever stands beside them."""

    def words(self, texts: pa.Array) -> pa.Array:
        """string[N] -> string[N]: short texts of no known language, such as a licence, as `urls`."""


@runtime_checkable
class HoldsComponents(Protocol):
    """A component made of others: some of its options are mappings of components by key."""

    @classmethod
    def holds(cls) -> Mapping[str, Verb]:
        """Option -> the verb of its components."""
