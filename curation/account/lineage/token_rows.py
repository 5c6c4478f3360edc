"""Where a document's tokens went: token shard, rows, positions of the mixes, and the steps of trainings that saw it.

The lineage of the one shard that has the document names its rows; the order of a mix is arithmetic, so positions and
steps need no search. Reads one column of one lineage file, and of the row groups in which the document is the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from curation.account.lineage.trainings import Training, positions, trainings_on
from curation.account.run.run_folder import RunFolder
from curation.account.run.stage import Stage
from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.lineage import segments_of
from curation.tokens.shards import TokenData


@dataclass(frozen=True)
class Held:
    """A piece of the document: `length` tokens from `doc_offset` on, in a row of the file, from `position` on."""

    row: int
    position: int
    doc_offset: int
    length: int


@dataclass(frozen=True)
class Mixed:
    """A mix's positions that hold one of the rows, and their phases; `problem`: why they are not known."""

    mix: str
    positions: tuple[int, ...] = ()
    phases: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Seen:
    """The steps, counted from 0, of a training run that the document is in, and how many updates it is known to have
    made; `problem`: why they are not known."""

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

    run: RunFolder
    more: Sequence[str] = ()  # training runs that do not lie beside the run

    def of(self, doc_id: str, pack: Stage, unit: int, values: dict[str, Any]) -> Tokens | None:
        """Tokens of a document that reached the unit `unit` of a pack stage; `values` are its tokens and split. None
        where the stage has nothing of this split."""
        parts = [one for one in pack.manifest.commits[unit].extra["parts"] if one["split"] == values.get("split")]
        if not parts:
            return None
        for part in parts:
            segments = segments_of(storage.join(pack.folder, f"{part['name']}.parquet"), pa.array([doc_id]))
            if segments.num_rows:
                held = tuple(
                    Held(one["row"], one["position"], one["doc_offset"], one["length"]) for one in segments.to_pylist()
                )
                return Tokens(*_head(pack, part, values), held, *self._order(pack, part, held))
        return Tokens(*_head(pack, parts[0], values))

    def _order(
        self, pack: Stage, part: dict[str, Any], held: tuple[Held, ...]
    ) -> tuple[tuple[Mixed, ...], tuple[Seen, ...]]:
        if part["split"] != "train":
            return (), ()  # validation rows are in no mix
        folder = storage.real(pack.folder)
        return (
            tuple(self._mixed(name, data, folder, part["name"], held) for name, data in self.mixes),
            tuple(self._seen(training, folder, part["name"], held) for training in self.trainings),
        )

    @cached_property
    def mixes(self) -> list[tuple[str, TokenData | str]]:
        """Each mix stage by name: opened, or why it cannot be opened."""
        return [(stage.name, _opened(stage)) for stage in self.run.stages if stage.verb.mixes]

    @cached_property
    def trainings(self) -> list[Training]:
        return trainings_on(self.run.folder, self.more)

    def _mixed(self, name: str, data: TokenData | str, pack: str, part: str, held: tuple[Held, ...]) -> Mixed:
        if isinstance(data, str):
            return Mixed(name, problem=data)
        rows = {one.row for one in held}
        places = sorted({place for row in rows for place in positions(data, pack, part, row)})
        return Mixed(name, tuple(places), tuple(dict.fromkeys(data.phase_of(place) for place in places)))

    def _seen(self, training: Training, pack: str, part: str, held: tuple[Held, ...]) -> Seen:
        try:
            steps = training.steps_of(pack, part, [(one.row, one.position) for one in held])
        except InputError as error:
            return Seen(training.folder, done=training.done, problem=str(error))
        return Seen(training.folder, tuple(steps), training.done)


def _head(pack: Stage, part: dict[str, Any], values: dict[str, Any]) -> tuple[int, str, str]:
    return values["tokens"], values["split"], f"{pack.entry.folder}/{part['name']}.bin"


def _opened(mix: Stage) -> TokenData | str:
    try:
        return TokenData.open(mix.folder)
    except InputError as error:
        return str(error)
