"""The bounds that a recipe sets on what a stage may fail on or drop: errors and unreadable files are checked with every
unit that comes in, all others when the stage is sealed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

from curation.core.commits import Commit
from curation.core.credentials import masked
from curation.core.errors import StageError
from curation.core.input_rows import InputRows, rows_by_file
from curation.core.manifest import Manifest
from curation.core.reasons import errors_in
from curation.engine.recipe.node import Node
from curation.engine.recipe.options import DedupOptions, StageOptions

SAMPLE = 20_000  # rows to see before judging the share of errors of a stage of unknown size
FAILED = "inputs.failed"  # a commit's count of input files that were skipped
INPUTS = "inputs"  # of a commit's `extra`: `InputRows` of files of which rows were skipped, and of parts of files


class GuardError(StageError):
    """A stage that fails on more than its recipe allows; the same command tries again what failed."""


class Guards:
    """Counts over the commits of one stage. `rows` is how many the stage reads, None where that is not known yet."""

    def __init__(self, name: str, options: StageOptions, rows: int | None) -> None:
        self._name = name
        self._options = options
        self._total = rows
        self._rows = self._inputs = self.lost = 0
        self._errors = Counter[str]()
        self._first_input = ""

    def count(self, commit: Commit) -> None:
        """Adds a commit of an earlier attempt at the stage, without judging."""
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
        _check_share(self._name, self._errors, self._rows, rows, self._options.max_errors)


def check_inputs_read(name: str, options: StageOptions, commits: Iterable[Commit]) -> None:
    """Raises GuardError, with the first in the order of the inputs, where more files than the recipe allows have more
    unreadable rows than it allows. `commits` are all those of the stage, in the order of their units: a file may be cut
    into several, so that only all of them tell."""
    commits = tuple(commits)
    parts = (part for commit in commits for part in commit.extra.get(INPUTS, ()))
    failed = sum(commit.counts.get(FAILED, 0) for commit in commits)
    _check_rows(name, options, rows_by_file(parts), failed)


def _check_rows(name: str, options: StageOptions, files: Sequence[InputRows], failed: int) -> None:
    """`failed`: how many files were passed over as a whole."""
    bad = [file for file in files if file.failed_fraction > options.max_failed_rows]
    failed += len(bad)
    if not bad or failed <= options.max_failed_inputs:
        return
    first = bad[0]
    most = ceil(100 * max(file.failed_fraction for file in bad)) / 100
    others = f" (the first of {len(bad):,} such files)" if len(bad) > 1 else ""
    raise GuardError(
        f"{name} could not read enough of {masked(first.file)}: {first.words()}{others}; mend the file or leave it "
        f"out, or allow it beside the stage with `max_failed_inputs: {failed}` or `max_failed_rows: {most:g}`"
    )


def check_errors(node: Node, sealed: Manifest) -> None:
    """Raises GuardError above `max_errors`; the stage then stays unsealed."""
    rows = sealed.total("rows")
    _check_share(node.name, Counter(errors_in(sealed.merged("dropped"))), rows, rows, node.stage.options.max_errors)


def check_guards(node: Node, sealed: Manifest) -> None:
    """Raises StageError where a sealed stage kept less or more than the recipe expects."""
    rows = sealed.total("rows")
    kept = sealed.total("kept")
    low, high = node.stage.options.expect_kept
    if rows and not low <= kept / rows <= high:
        raise StageError(
            f"{node.name} kept {kept / rows:.1%} of {rows} documents, outside expect_kept [{low}, {high}]; "
            "see `winnow funnel` for the reasons, then mend the stage or its bounds"
        )
    _check_rows(
        node.name, node.stage.options, rows_by_file(sealed.shards.unread), sealed.merged("counts").get(FAILED, 0)
    )
    if isinstance(node.stage.options, DedupOptions):
        _check_removed(node.name, node.stage.options, sealed)


def _check_removed(name: str, options: DedupOptions, sealed: Manifest) -> None:
    """Raises StageError where a source lost more of its documents as duplicates than the recipe allows."""
    for source, totals in sealed.shards.totals.items():
        count = totals.get("parts", {}).get("rows", 0)
        removed = sum(n for reason, n in totals.get("dropped", {}).items() if reason.startswith("dedup."))
        share = removed / max(count, 1)
        if share > options.allowed(source):
            raise StageError(
                f"{name} removed {removed} of {count} documents of {source} ({share:.1%}) as duplicates, more "
                f"than max_removed {options.allowed(source)}; see `winnow duplicates` for the largest clusters, then "
                "change the method or the limit"
            )


def _check_share(name: str, errors: Counter[str], seen: int, rows: int, allowed: float) -> None:
    """Raises GuardError for more errors than this share of `rows`, of which so many were seen."""
    if rows and errors.total() > allowed * rows:
        worst = ", ".join(f"{n} {reason}" for reason, n in errors.most_common(3))
        raise GuardError(
            f"{name} failed on {errors.total()} of {seen} documents ({worst}), more than max_errors {allowed}; look at "
            "the documents in its folder, then mend the cause or raise max_errors"
        )
