"""Finds a document's tokens: token shard, rows, positions in mixes, and the training steps that saw them.

The lineage file of the document's token shard names its rows. The order of a mix is arithmetic, so positions and steps
need no search. One column of the lineage file is read, and the other columns of the row groups with the document.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from curation.account.lineage.trainings import TrainingRun, opened, positions, trainings_on
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.core import storage
from curation.core.errors import InputError
from curation.core.token_shapes import TokenPart
from curation.tokens.file_checks import lineage_file
from curation.tokens.lineage import segments_of
from curation.tokens.manifests import parts_of
from curation.tokens.shards import TokenData

# `length` tokens from `doc_offset` in the document, from `position` in the row
PIECE = ("row", "position", "doc_offset", "length")

Range = tuple[int, int]  # tokens of a document, from the first to before the last


@dataclass
class TokenRows:
    """Answers for the documents of one run; mixes and trainings are opened at the first use."""

    run: RunFolder
    more: Sequence[str] = ()  # training runs in other places

    def of(
        self, doc_id: str, pack: SealedStage, shard: int, values: dict[str, Any], ranges: Sequence[Range] | None = None
    ) -> dict[str, Any]:
        """The tokens of a document in shard `shard` of those that a pack stage read; `values` has the document's
        `tokens` and `split`. With `ranges`, the rows and steps that have these tokens of it.

        Returns `count`, `split`, `file` (relative to the run), `rows` (a PIECE each; empty after a takedown), `mixes`
        and `trainings`; {} if the token shard has nothing in the split.
        """
        every = parts_of((pack.manifest.tokens or {})["parts"], [shard])
        parts = [part for part in every if part["split"] == values.get("split")]
        for part in parts:
            lineage = lineage_file(pack.folder, part["name"], part["files"][f"{part['name']}.parquet"])
            segments = segments_of(lineage, pa.array([doc_id]))
            if segments.num_rows:
                return self._packed(pack, part, values, _within(segments.select(PIECE).to_pylist(), ranges))
        return self._packed(pack, parts[0], values, ()) if parts else {}

    def _packed(
        self, pack: SealedStage, part: TokenPart, values: dict[str, Any], rows: tuple[dict[str, int], ...]
    ) -> dict[str, Any]:
        in_a_mix = bool(rows) and part["split"] == "train"
        place = storage.real(pack.folder), part["name"]
        return {
            "count": values["tokens"],
            "split": values["split"],
            "file": f"{pack.entry.folder}/{part['name']}.bin",
            "rows": rows,
            "mixes": tuple(_mixed(mix, *place, rows) for mix in self.mixes) if in_a_mix else (),
            "trainings": tuple(_seen(training, *place, rows) for training in self.trainings) if in_a_mix else (),
        }

    @cached_property
    def mixes(self) -> list[tuple[str, TokenData | str]]:
        """Name of each mix stage, and its data or why it cannot be opened."""
        return [(stage.name, opened(stage.folder)) for stage in self.run.stages if stage.verb.mixes]

    @cached_property
    def trainings(self) -> list[TrainingRun]:
        return trainings_on(self.run.folder, self.more)


def _within(segments: Sequence[dict[str, int]], ranges: Sequence[Range] | None) -> tuple[dict[str, int], ...]:
    """The parts of segments that hold tokens of the ranges; for None, the segments."""
    if ranges is None:
        return tuple(segments)
    parts = []
    for piece in segments:
        for first, last in ranges:
            begin = max(first, piece["doc_offset"])
            end = min(last, piece["doc_offset"] + piece["length"])
            if begin < end:
                position = piece["position"] + begin - piece["doc_offset"]
                parts.append({"row": piece["row"], "position": position, "doc_offset": begin, "length": end - begin})
    return tuple(parts)


def _mixed(mix: tuple[str, TokenData | str], pack: str, part: str, rows: Sequence[dict[str, int]]) -> dict[str, Any]:
    """The positions of the rows in a mix, and their phases; `problem`: why they are unknown."""
    name, data = mix
    if isinstance(data, str):
        return {"mix": name, "positions": (), "phases": (), "problem": data}
    numbers = {piece["row"] for piece in rows}
    places = sorted({place for row in numbers for place in positions(data, pack, part, row)})
    phases = dict.fromkeys(data.phase_of(place) for place in places)
    return {"mix": name, "positions": tuple(places), "phases": tuple(phases), "problem": ""}


def _seen(training: TrainingRun, pack: str, part: str, rows: Sequence[dict[str, int]]) -> dict[str, Any]:
    """The steps, counted from 0, that see one of the rows, and the updates known to be done; `problem`: why the steps
    are unknown."""
    steps = list[int]()
    problem = ""
    try:
        steps = training.steps_of(pack, part, [(piece["row"], piece["position"]) for piece in rows])
    except InputError as error:
        problem = str(error)
    return {"training": training.folder, "steps": tuple(steps), "done": training.done, "problem": problem}
