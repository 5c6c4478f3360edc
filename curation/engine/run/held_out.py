"""Chooses the validation documents of sources that have few, before they are encoded."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.engine.executor.work import Cheap, Unit
from curation.engine.run.context import Context, run_step
from curation.engine.run.part_files import one_batch, read_part
from curation.engine.run.progress import Watch
from curation.engine.run.steps import ShardSources
from curation.tokens.encode import Encode, linking
from curation.tokens.held_out import EncodeFew, choose, few_sources

CANDIDATES = "_candidates"  # folder of the step


@dataclass(frozen=True)
class CandidatesStep(Cheap):
    """Draw and bytes of the documents of a shard with the smallest draws; its commit has `candidates`, and the `bytes`
    of all documents."""

    encoder: Encode
    columns: tuple[str, ...]
    sources: ShardSources
    largest: dict[str, int]  # draw, by source

    def run(self, unit: Unit) -> Commit:
        candidates: list[tuple[int, int]] = []
        total = 0
        largest = np.uint64(self.largest[self.sources[unit.number]])
        for table in read_part(unit.payload, columns=self.columns):
            sizes = np.asarray(pc.fill_null(pc.binary_length(table["text"]), 0), np.int64)
            draws = self.encoder.draws(one_batch(table))
            near = draws <= largest
            candidates += zip(draws[near].tolist(), sizes[near].tolist(), strict=True)
            total += int(sizes.sum())
        return Commit(unit.number, (), extra={"candidates": candidates, "bytes": total})


def with_held_out(context: Context, watch: Watch, encoder: Encode, given: pa.Schema) -> Encode:
    """The encoder that holds out the share asked for, also of few documents: itself where all sources have many."""
    sources = [part.source for _, part in context.shards]
    documents = Counter[str]()
    for _, part in context.shards:
        documents[part.source] += part.kept
    few = few_sources(encoder, documents)
    if not few:
        return encoder
    units = [unit for unit in context.units() if sources[unit.number] in few]
    step = CandidatesStep(encoder, ("text", *linking(given)), ShardSources.of(sources), few)
    candidates: dict[str, list[tuple[int, int]]] = {source: [] for source in few}
    sizes = Counter[str]()
    for commit in run_step(context, watch, "choose", step, units, CANDIDATES):
        source = sources[commit.unit]
        candidates[source] += commit.extra["candidates"]
        sizes[source] += commit.extra["bytes"]
    wanted = {source: encoder.fraction(source) * sizes[source] for source in few}
    return EncodeFew(**vars(encoder), few=tuple(few), chosen=choose(candidates, wanted))
