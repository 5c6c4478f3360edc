"""The bounds on what a stage may fail on, checked with every unit that comes in, not after the last."""

from collections import Counter

from curation.core.commits import Commit
from curation.core.errors import StageError
from curation.core.reasons import errors_in
from curation.engine.recipe.options import StageOptions

SAMPLE = 20_000  # rows seen before their share of errors says something of the stage, where its size is not known
FAILED = "inputs.failed"  # count of a commit: input files that were passed over


class GuardError(StageError):
    """A stage that fails on more than its recipe allows: what failed is to be tried again by the same command."""


class Guards:
    """Counts over the commits of one stage. `rows` is how many the stage reads, None where that is not known before."""

    def __init__(self, name: str, options: StageOptions, rows: int | None) -> None:
        self._name, self._options, self._total = name, options, rows
        self._rows = self._inputs = self.lost = 0
        self._errors = Counter[str]()
        self._first_input = ""

    def count(self, commit: Commit) -> None:
        """Adds a commit without judging: it is of an earlier attempt at the stage."""
        for part in commit.parts:
            self._rows += part.rows
            self._errors.update(errors_in(part.dropped))
        self.lost += "lost" in commit.extra
        self._inputs += commit.counts.get(FAILED, 0)
        self._first_input = self._first_input or next((str(f["file"]) for f in commit.faults if f.get("failed")), "")

    def check(self, commit: Commit) -> None:
        """Adds a commit. Raises StageError where the stage can no longer end within its bounds."""
        self.count(commit)
        if self._inputs > self._options.max_failed_inputs:
            raise GuardError(
                f"{self._name} could not read {self._inputs} input files, the first {self._first_input}; more than "
                f"max_failed_inputs: {self._options.max_failed_inputs}; mend them or raise it beside the stage"
            )
        rows = self._total if self._total is not None else max(self._rows, SAMPLE)
        if rows and self._errors.total() > self._options.max_errors * rows:
            raise too_many_errors(self._name, self._errors, self._rows, self._options.max_errors)


def too_many_errors(name: str, errors: Counter[str], rows: int, allowed: float) -> GuardError:
    worst = ", ".join(f"{n} {reason}" for reason, n in errors.most_common(3))
    return GuardError(
        f"{name} failed on {errors.total()} of {rows} documents ({worst}), more than max_errors {allowed}; look at "
        "the documents in its folder, then mend the cause or raise max_errors"
    )
