"""Where a document's tokens went: token shard, rows, positions of the mixes, and the steps of trainings that saw it.

The lineage of the one shard that has the document names its rows; the order of a mix is arithmetic, so positions and
steps need no search. Reads one column of one lineage file, and of the row groups in which the document is the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from curation.account.lineage.trainings import Training, positions, trainings_on
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import Manifest, StageEntry
from curation.tokens.lineage import segments_of
from curation.tokens.shards import TokenData

Stages = list[tuple[StageEntry, str, Manifest]]


@dataclass(frozen=True)
class Held:
    """A piece of the document: `length` tokens from `doc_offset` on, in a row of the file, from `position` on."""

    row: int
    position: int
    doc_offset: int
    length: int


@dataclass(frozen=True)
class Mixed:
    """A mix's positions that hold one of the rows, and their phases; `problem`: why it cannot be said."""

    mix: str
    positions: tuple[int, ...] = ()
    phases: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Seen:
    """The steps, counted from 0, of a training run that the document is in, and how many updates it is known to have
    made; `problem`: why it cannot be said."""

    training: str
    steps: tuple[int, ...] = ()
    done: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Tokens:
    """A kept document's tokens. `file` is relative to the run; `rows` are empty once the document was taken down."""

    count: int
    split: str
    file: str
    rows: tuple[Held, ...] = ()
    mixes: tuple[Mixed, ...] = ()
    trainings: tuple[Seen, ...] = ()


@dataclass
class Whereabouts:
    """Answers for the documents of one run; mixes and trainings are opened when the first document asks."""

    run: str
    stages: Stages
    more: Sequence[str] = ()  # training runs that do not lie beside the run
    _mixes: list[tuple[str, TokenData | str]] | None = None
    _trainings: list[Training] | None = None

    def of(self, doc_id: str, pack: str, manifest: Manifest, unit: int, values: dict[str, Any]) -> Tokens | None:
        """Tokens of a document that reached the unit `unit` of the pack stage at `pack`; `values` are its tokens and
        split. None where the stage has nothing of this split."""
        parts = [one for one in manifest.commits[unit].extra["parts"] if one["split"] == values.get("split")]
        if not parts:
            return None
        for part in parts:
            found = segments_of(storage.join(pack, f"{part['name']}.parquet"), pa.array([doc_id]))
            if found.num_rows:
                held = tuple(
                    Held(one["row"], one["position"], one["doc_offset"], one["length"]) for one in found.to_pylist()
                )
                return Tokens(*self._head(pack, part, values), held, *self._order(pack, part, held))
        return Tokens(*self._head(pack, parts[0], values))

    def _head(self, pack: str, part: dict[str, Any], values: dict[str, Any]) -> tuple[int, str, str]:
        return values["tokens"], values["split"], f"{pack.rpartition('/')[2]}/{part['name']}.bin"

    def _order(
        self, pack: str, part: dict[str, Any], held: tuple[Held, ...]
    ) -> tuple[tuple[Mixed, ...], tuple[Seen, ...]]:
        if part["split"] != "train":
            return (), ()  # validation rows are in no mix
        pack = storage.real(pack)
        return (
            tuple(self._mixed(name, data, pack, part["name"], held) for name, data in self.mixes()),
            tuple(self._seen(one, pack, part["name"], held) for one in self.trainings()),
        )

    def mixes(self) -> list[tuple[str, TokenData | str]]:
        """Each mix stage by name, opened, or why it cannot be."""
        if self._mixes is None:
            self._mixes = []
            for entry, path, _ in self.stages:
                if entry.verb.mixes:
                    try:
                        self._mixes.append((entry.name, TokenData.open(path)))
                    except InputError as error:
                        self._mixes.append((entry.name, str(error)))
        return self._mixes

    def trainings(self) -> list[Training]:
        if self._trainings is None:
            self._trainings = trainings_on(self.run, self.more)
        return self._trainings

    def _mixed(self, name: str, data: TokenData | str, pack: str, part: str, held: tuple[Held, ...]) -> Mixed:
        if isinstance(data, str):
            return Mixed(name, problem=data)
        found = sorted({place for row in {one.row for one in held} for place in positions(data, pack, part, row)})
        return Mixed(name, tuple(found), tuple(dict.fromkeys(data.phase_of(place) for place in found)))

    def _seen(self, training: Training, pack: str, part: str, held: tuple[Held, ...]) -> Seen:
        try:
            steps = training.steps_of(pack, part, [(one.row, one.position) for one in held])
        except InputError as error:
            return Seen(training.folder, done=training.done, problem=str(error))
        return Seen(training.folder, tuple(steps), training.done)
