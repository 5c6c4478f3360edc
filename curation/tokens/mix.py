"""Mixes sources by tokens: an index over packed rows that says which rows of each source training sees.

Weights are shares of the tokens that the model is to predict. They name leaves (sources, or sub-sources that `pack`
made, such as `web/en`), prefixes of leaves, a label of every source (`*/en`) or all the rest (`others`); without
weights, all leaves form one group. The same options give:

by size                 {}
fixed shares            {weights: {web: 0.5, code: 0.25, books: 0.25}}
70 : 30 by language     {weights: {"*/en": 70, "*/de": 30}}                      all packed with split_by language
one source by language  {weights: {web/en: 40, web/de: 25, others: 35}}          others: what has no weight of its own
balanced languages      {weights: {web: 0.8, code: 0.2}, temperature: 3.3}       web packed with split_by language
the better twice        {weights: {web/high: 2, others: 1}, max_epochs: 4}       web packed with split_by a score
UniMax                  {temperature: .inf, exhausted: cap, max_epochs: 4, tokens: 1000000000}
annealing at the end    {phases: [{name: main, share: 0.9}, {name: anneal, share: 0.1, weights: {books: 1, web: 0}}]}
with an earlier run     {runs: {old: runs/2024}, weights: {web: 0.7, old/web: 0.3}}

Each share of each phase is met within one row, or the mix is refused with the largest budget that can be met; with
`exhausted: cap` others give what a leaf lacks, in every phase alike, and the report says so. Padding does not count.

No tokens are written, so a new mix takes seconds: 1.5 s and 40 MB for 10 million rows (benchmarks/README.md,
November 2026); 10^12 tokens in rows of 2,048 take 2 GB. Every leaf with a weight above 0 in some phase keeps all its
validation rows, whatever the budget.

Source of UniMax: Chung et al. 2023 (arXiv:2304.09151).
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from curation.core.component import Component
from curation.core.errors import RecipeError, UserError
from curation.core.token_shapes import IndexPhase
from curation.core.verbs import MIX, Verb
from curation.tokens.manifests import INDEX_FORMAT, INDEX_VERSION, ONLY_PHASE, SAME
from curation.tokens.mixing.allocation import LeafAllotment, PhaseAllotment, PhaseRequest, budget, take
from curation.tokens.mixing.phases import Phase, check_phases, check_weights, fractions
from curation.tokens.mixing.shares import exact, groups
from curation.tokens.mixing.streams import Packs, Stream, split_sources, streams
from curation.tokens.mixing.weight_names import (
    ALL,
    WHOLE,
    Split,
    check_covered,
    check_keys,
    check_stars,
    key_of,
    overlap,
    several,
)

_RUN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
NOTHING_SHARED = (
    "temperature has no effect: every weight is of one source or sub-source; leave it out, give a weight to a prefix, "
    "or divide sources by `split_by` in `pack`"
)
MOST_EPOCHS = 10_000  # each epoch of a leaf keeps round keys in memory


@dataclass(frozen=True, kw_only=True)
class Mix(Component):
    """How many tokens of each leaf to take, in which phase."""

    weights: Annotated[
        dict[str, float] | None,
        "leaf, prefix, */label or others -> any scale; 0 leaves it out; None = all as one group",
    ] = None
    temperature: Annotated[float, "leaves of one weight share it by tokens ** (1 / temperature); .inf = evenly"] = 1.0
    tokens: Annotated[int | None, "budget; None = as many as weights and max_epochs allow"] = None
    max_epochs: Annotated[float | dict[str, float], "how often a row may be seen; by leaf or prefix, others 1"] = 1.0
    exhausted: Annotated[Literal["fail", "cap"], "if a leaf lacks tokens: an error, or the others give the rest"] = (
        "fail"
    )
    phases: Annotated[tuple[Phase, ...], "{name, share or tokens, weights, temperature}, one after the other"] = ()
    runs: Annotated[dict[str, str], "name -> folder of another run; its leaves: <name>/<source>"] = field(
        default_factory=dict
    )
    seed: Annotated[int, "of the order of rows"] = 0

    verb: ClassVar[Verb | None] = MIX
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        check_weights(self.weights, self.temperature)
        check_phases(self.phases, self.tokens)
        for option, default in (("weights", None), ("temperature", 1)):
            if getattr(self, option) != default and all(getattr(phase, option) is not None for phase in self._phases):
                raise RecipeError(f"{option} has no effect: every phase has its own; leave it out")
        if self.exhausted == "cap" and self._tokens is None:
            raise RecipeError(
                "exhausted: cap has no effect without tokens, as the budget is then the largest that meets every "
                "weight; give tokens, or leave exhausted out"
            )
        if self.tokens is not None and self.tokens < 1:
            raise RecipeError(f"tokens is {self.tokens}; give at least 1, or leave it out")
        for leaf, epochs in self._max_epochs.items():
            if not 0 < epochs <= MOST_EPOCHS:
                of = f" of {leaf!r}" if leaf else ""
                raise RecipeError(f"max_epochs{of} is {epochs}; it must be above 0 and at most {MOST_EPOCHS:,}")
        check_stars(self._max_epochs, "max_epochs: ")
        if pair := overlap(self._max_epochs):
            raise RecipeError(f"max_epochs: {pair[0]!r} already covers {pair[1]!r}; give one of the two")
        for name in self.runs:
            if not _RUN.fullmatch(name):
                raise RecipeError(f"runs: {name!r} cannot name a run; use letters, digits, -, _ and, except first, .")

    @property
    def _max_epochs(self) -> dict[str, float]:
        return self.max_epochs if isinstance(self.max_epochs, dict) else {ALL: self.max_epochs}

    def named(self) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, float]]]:
        """Each option that names leaves, by its place in the recipe."""
        phases = ((("phases", number, "weights"), phase.weights) for number, phase in enumerate(self.phases))
        epochs = self.max_epochs if isinstance(self.max_epochs, dict) else None
        for place, keys in ((("weights",), self.weights), *phases, (("max_epochs",), epochs)):
            if keys is not None:
                yield place, keys

    def check_names(self, leaves: Sequence[str], split: Split = WHOLE) -> None:
        """Raises RecipeError unless every key covers some of the packed leaves, and every leaf has one weight. A label
        that no document has is a valid name too."""
        for place, keys in self.named():
            check_leaves(place, keys, leaves, split)

    def check_temperature(self, leaves: Sequence[str], split: Split) -> None:
        """Raises RecipeError for a temperature that shares nothing out, because each weight is of one leaf."""
        reached = False  # by the mix's own temperature
        for phase in self._phases:
            weights = self._weights(phase) or {ALL: 1}
            shared = any(weight and several(key, weights, leaves, split) for key, weight in weights.items())
            if phase.temperature not in (None, 1) and not shared:
                raise RecipeError(f"phase {phase.name!r}: {NOTHING_SHARED}")
            reached |= shared and phase.temperature is None
        if self.temperature != 1 and not reached:
            raise RecipeError(NOTHING_SHARED)

    def build(self, packs: Packs, *, folder: str = "", runs: Mapping[str, Packs] | None = None) -> dict[str, Any]:
        """The index of the mix, to be written by `index_bytes` as `manifests.INDEX` in the stage folder.

        `packs`: name of each pack's folder in the run, and the section `tokens` of its manifest. `folder`: the run
        folder, from which index files of packs with padding are read. `runs`: the packs of each of `self.runs`, by
        absolute path. Raises UserError for packs that cannot be mixed so.
        """
        others = dict(sorted((runs or {}).items()))
        every = [*packs, *(pack for held in others.values() for pack in held)]
        shape = _same_shape(every)
        named = {name: [pack for pack, _ in held] for name, held in others.items()}
        leaves = streams(every, folder=folder, runs=named, seed=self.seed)
        self.check_names(list(leaves), split_sources(every, named))
        phases = self._take(leaves)
        if not any(phase.rows for phase in phases):
            row = f"not one row of {shape['row_tokens'] - 1} tokens fits"
            raise UserError(f"the mix would be empty: {row}; raise `tokens` or `max_epochs`, or add text")
        used = [name for name in leaves if self._weighed(name)]
        return {
            "format": INDEX_FORMAT,
            "format_version": INDEX_VERSION,
            "seed": self.seed,
            **shape,
            "packs": [pack for pack, _ in every],
            "runs": named,
            "leaves": [{"source": name, "available": leaves[name].rows} for name in used],
            "phases": [_phase(phase, shape["row_tokens"] - 1) for phase in phases],
            "entries": [
                {"source": line.source, "phase": number, "first": line.first, "rows": line.rows}
                for number, phase in enumerate(phases)
                for line in phase.lines
            ],
            "report": [line for phase in phases for line in _report(phase, leaves)],
        }

    def _weighed(self, leaf: str) -> bool:
        """Whether a phase has a weight above 0 for the leaf, which may still have no training row."""
        every = (self._weights(phase) or {ALL: 1.0} for phase in self._phases)
        return any(weights.get(key_of(leaf, weights) or ALL) for weights in every)

    @property
    def _phases(self) -> tuple[Phase, ...]:
        return self.phases or (Phase(name=ONLY_PHASE, share=1.0),)

    def _weights(self, phase: Phase) -> dict[str, float] | None:
        return self.weights if phase.weights is None else phase.weights

    def _take(self, leaves: dict[str, Stream]) -> list[PhaseAllotment]:
        sizes = {name: leaf.tokens for name, leaf in leaves.items()}
        asked = []
        for phase, part in zip(self._phases, fractions(self._phases), strict=True):
            temperature = self.temperature if phase.temperature is None else phase.temperature
            asked.append(PhaseRequest(phase.name, part, groups(self._weights(phase), temperature, sizes)))
        most = {name: self._most_rows(leaf) for name, leaf in leaves.items()}
        tokens = budget(self._tokens, asked, leaves, most, cap=self.exhausted == "cap")
        return take(tokens, asked, leaves, most)

    @property
    def _tokens(self) -> int | None:
        """The budget, if one is given."""
        of_phases = [phase.tokens for phase in self.phases if phase.tokens is not None]
        return sum(of_phases) if of_phases else self.tokens

    def _most_rows(self, leaf: Stream) -> int:
        key = key_of(leaf.name, self._max_epochs)
        return math.floor(exact(1.0 if key is None else self._max_epochs[key]) * leaf.rows)


def check_leaves(place: Sequence[str | int], keys: Mapping[str, float], leaves: Sequence[str], split: Split) -> None:
    """Raises RecipeError unless every key of the option at `place` stands for some leaves and every leaf has a weight.

    Before any work the leaves are the sources of the recipe, of which those in `split` will be divided.
    """
    option = str(place[-1])
    check_keys(option, keys, leaves, split)
    if option == "weights":
        check_covered(keys, leaves, split)


def index_bytes(index: dict[str, Any]) -> bytes:
    return (json.dumps(index, indent=1) + "\n").encode()


def _phase(phase: PhaseAllotment, row: int) -> IndexPhase:
    tokens = sum(line.tokens for line in phase.lines)
    short = phase.target - sum(line.target for line in phase.lines) >= row
    target = float(phase.target)
    return {"name": phase.name, "rows": phase.rows, "tokens": tokens, "target_tokens": target, "short": short}


def _report(phase: PhaseAllotment, leaves: dict[str, Stream]) -> list[dict[str, Any]]:
    """Per leaf, what the phase should take of it and what it takes; `epochs` are those of this phase alone."""
    lines = {line.source: line for line in phase.lines}
    report = []
    for name, leaf in leaves.items():
        line = lines.get(name, LeafAllotment(name))
        report.append(
            {
                "phase": phase.name,
                "source": name,
                "weight": float(line.weight),
                "target_tokens": float(line.target),
                "tokens": line.tokens,
                "rows": line.rows,
                "epochs": line.rows / leaf.rows if leaf.rows else 0.0,
                "capped": line.capped,
                "available_rows": leaf.rows,
                "available_tokens": leaf.tokens,
            }
        )
    return report


def _same_shape(packs: Packs) -> dict[str, Any]:
    if not packs:
        raise UserError("a mix needs at least one pack stage before it")
    first_folder, first = packs[0]
    for folder, section in packs[1:]:
        for key in SAME:
            if section[key] != first[key]:
                raise UserError(
                    f"{folder} has {key} {section[key]}, {first_folder} has {first[key]}; pack both with one "
                    "tokenizer, begin, end and sequence length"
                )
    return {key: first[key] for key in SAME}
