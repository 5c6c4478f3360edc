"""A comparison of two runs, `careful` better than `raw`, as tables and plots show it."""

from collections.abc import Sequence

from curation.account.compare.compare import ComparedRun, Comparison, Difference, Result
from curation.account.compare.heldout import ALL, HeldoutKind

KINDS = ("books", "speeches")
LEVELS = {"books": 1.9, "speeches": 2.1, ALL: 2.0}


def example(kinds: Sequence[str] = KINDS, apart: float = 0.1) -> Comparison:
    every = [*kinds, ALL]
    results = []
    differences = []
    for kind in every:
        for tokens, more in ((2000, 0.5), (4000, 0.0)):
            for run, worse in (("raw", apart), ("careful", 0.0)):
                value = LEVELS[kind] + more + worse
                results.append(Result(run, kind, tokens, value, value - 0.01, value + 0.01, (value, value)))
        for run, other, value in (("raw", "careful", apart), ("careful", "raw", -apart)):
            noise = abs(value) <= 0.02
            differences.append(Difference(run, other, kind, value, value - 0.02, value + 0.02, noise))
    return Comparison(
        "ngram",
        4000,
        2,
        4096,
        tuple(ComparedRun(name, f"runs/{name}", 20, 40_000, 10_000) for name in ("raw", "careful")),
        tuple(HeldoutKind(name, 30, 9000, in_runs=1, copies=2, empty=3) for name in kinds),
        tuple(results),
        tuple(differences),
    )
