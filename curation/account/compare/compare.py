"""Compares runs by what a model learns from them: bits per byte of held-out text, at equal training tokens.

Documents of each run are drawn by hashes of their ids, another order for each seed, up to the same number of tokens in
one tokenization that all runs share. Runs that have a document in common draw it alike, so that a difference between
them is not one of luck. Each draw trains a model at TOKENS, TOKENS / 2, TOKENS / 4 …; it is judged by the bits that it
takes to write held-out documents down, over their UTF-8 bytes, in each kind and in the mean over kinds.

By default TOKENS is half of what the smallest run has: with all of it, every seed would draw the same text of that run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.compare.heldout import ALL, HeldOut, HeldoutKind, held_out
from curation.account.compare.intervals import estimate, resampled
from curation.account.compare.judge import Judge
from curation.account.compare.run_text import named, read
from curation.account.compare.tokens import RunTokens, common_tokenizer
from curation.core.errors import InputError, UserError
from curation.models.ngram.estimate import Floats
from curation.text.kernels.compiler.kernel import Grid
from curation.tokens.token_files import Vocabulary

LEAST_TOKENS = 1000  # from which a model of tokens can learn anything

MakeJudge = Callable[[pa.LargeListArray, Vocabulary], Judge]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How much is learned from, and how often."""

    tokens: int | None = None  # of training text at most; None: half of what the smallest run has
    seeds: int = 5
    points: int = 4  # of the curve: TOKENS, TOKENS / 2, …
    vocabulary: int = 4096  # tokens of the common tokenizer, about a word each
    sample_bytes: int = 64_000_000  # of each run's text, of which documents are drawn
    by: str | None = None  # field of the held-out files that names the kind; None: the file's name

    def __post_init__(self) -> None:
        for name, least in (("seeds", 2), ("points", 1), ("sample_bytes", 1)):
            if getattr(self, name) < least:
                raise UserError(f"{name} is {getattr(self, name)}; give {least} or more")


@dataclass(frozen=True)
class ComparedRun:
    """A run: what it gave to learn from."""

    name: str
    path: str
    documents: int
    bytes: int
    tokens: int


@dataclass(frozen=True)
class Result:
    """Bits per byte of a run after so many tokens; `seeds` has the value of each draw."""

    run: str
    kind: str
    tokens: int
    bits_per_byte: float
    low: float
    high: float
    seeds: tuple[float, ...]


@dataclass(frozen=True)
class Difference:
    """Bits per byte of `run` minus those of `other` at the most tokens: below 0, `run` is better."""

    run: str
    other: str
    kind: str
    bits_per_byte: float
    low: float
    high: float
    within_noise: bool


@dataclass(frozen=True)
class Comparison:
    """All that was measured; runs in the order given."""

    model: str
    tokens: int
    seeds: int
    vocabulary: int
    runs: tuple[ComparedRun, ...]
    kinds: tuple[HeldoutKind, ...]
    results: tuple[Result, ...]
    differences: tuple[Difference, ...]

    def result(self, run: str, kind: str, tokens: int | None = None) -> Result:
        """At the most tokens by default."""
        key = (run, kind, tokens or self.tokens)
        return next(one for one in self.results if (one.run, one.kind, one.tokens) == key)

    def difference(self, run: str, other: str, kind: str) -> Difference:
        key = (run, other, kind)
        return next(one for one in self.differences if (one.run, one.other, one.kind) == key)


@dataclass(frozen=True)
class JudgedModel:
    """A model that has been trained and judged."""

    run: str
    tokens: int
    seed: int
    seeds: int
    done: int
    models: int


OnProgress = Callable[[JudgedModel], None]


def compare(
    runs: Sequence[str],
    heldout: Sequence[str],
    make_judge: MakeJudge,
    *,
    model: str,
    options: Options,
    on_progress: OnProgress = lambda now: None,
) -> Comparison:
    """`runs` are folders or files, each PATH or NAME=PATH; `heldout` files. Equal input gives an equal result.

    Raises UserError or InputError for what cannot be compared.
    """
    texts = [read(name, path, options.sample_bytes) for name, path in named(runs).items()]
    judged = held_out(heldout, texts, by=options.by)
    tokenizer = common_tokenizer(texts, options.vocabulary)
    tokens = [RunTokens(text.name, tokenizer.encode(text.texts), text.keys) for text in texts]
    most = _most(tokens, options.tokens)
    sizes = [most >> halved for halved in reversed(range(options.points)) if most >> halved >= LEAST_TOKENS]
    judge = make_judge(tokenizer.encode(judged.texts), tokenizer.vocabulary)
    bits = _bits(tokens, judge, sizes, options.seeds, on_progress)
    names = [text.name for text in texts]
    results, differences = _evaluated(bits, judged, names, sizes)
    return Comparison(
        model,
        most,
        options.seeds,
        tokenizer.vocabulary.size,
        tuple(
            ComparedRun(text.name, text.path, len(text.texts), text.bytes, run.tokens)
            for text, run in zip(texts, tokens, strict=True)
        ),
        judged.kinds,
        tuple(results),
        tuple(differences),
    )


def _most(runs: Sequence[RunTokens], asked: int | None) -> int:
    """The tokens that every run gives. Raises InputError if one has too few."""
    smallest = min(runs, key=lambda run: run.tokens)
    most = smallest.tokens // 2 if asked is None else asked
    if most < LEAST_TOKENS:
        raise InputError(
            f"{smallest.name} has {smallest.tokens:,} tokens of text, and {most:,} would be learned from; at least "
            f"{LEAST_TOKENS:,} are needed: give larger runs, or leave that one out"
        )
    if most > smallest.tokens:
        raise InputError(
            f"{smallest.name} has {smallest.tokens:,} tokens of text, not {most:,}; give at most so many as --tokens, "
            "half for draws that differ, or a larger --sample-mb if the run has more text"
        )
    return most


def _bits(
    runs: Sequence[RunTokens], judge: Judge, sizes: Sequence[int], seeds: int, on_progress: OnProgress
) -> dict[int, list[list[Floats]]]:
    """Tokens -> for each seed, for each run float64[D]."""
    bits: dict[int, list[list[Floats]]] = {size: [] for size in sizes}
    done = 0
    models = len(sizes) * seeds * len(runs)
    for seed in range(seeds):
        for size in sizes:
            bits[size].append([])
        for run in runs:
            drawn = run.draw(seed, sizes[-1])
            for size in sizes:
                bits[size][seed].append(judge.bits(drawn[:size], seed))
                done += 1
                on_progress(JudgedModel(run.name, size, seed, seeds, done, models))
    return bits


def _evaluated(
    bits: dict[int, list[list[Floats]]], judged: HeldOut, names: Sequence[str], sizes: Sequence[int]
) -> tuple[list[Result], list[Difference]]:
    results: list[Result] = []
    differences: list[Difference] = []
    for tokens in sizes:
        by_kind = _values(np.array(bits[tokens]), judged)
        for kind, (seeds, resamples) in by_kind.items():
            for place, name in enumerate(names):
                found = estimate(seeds[:, place], resamples[:, place])
                each = tuple(seeds[:, place].tolist())
                results.append(Result(name, kind, tokens, found.value, found.low, found.high, each))
            for a, b in combinations(range(len(names)), 2) if tokens == sizes[-1] else ():
                apart = estimate(seeds[:, a] - seeds[:, b], resamples[:, a] - resamples[:, b])
                there = (apart.value, apart.low, apart.high, apart.within_noise)
                back = (-apart.value, -apart.high, -apart.low, apart.within_noise)
                differences.append(Difference(names[a], names[b], kind, *there))
                differences.append(Difference(names[b], names[a], kind, *back))
    return results, differences


def _values(bits: npt.NDArray[np.float64], judged: HeldOut) -> dict[str, tuple[Grid[Floats], Grid[Floats]]]:
    """Bits float64[S, R, D] -> by kind, bits per byte float64[S, R] of seeds and float64[B, R] of resamples."""
    size = np.asarray(pc.binary_length(judged.texts)).astype(np.float64)
    values: dict[str, tuple[Grid[Floats], Grid[Floats]]] = {}
    for place, kind in enumerate(judged.kinds):
        own = judged.kind == place
        seeds = bits[:, :, own].sum(axis=2) / size[own].sum()
        values[kind.name] = seeds, resampled(np.ascontiguousarray(bits[:, :, own].mean(axis=0).T), size[own], place)
    parts = list(values.values())
    values[ALL] = np.mean([part[0] for part in parts], axis=0), np.mean([part[1] for part in parts], axis=0)
    return values
