"""The training runs that read a run's data, as its report shows them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curation.account.lineage.trainings import trainings_on
from curation.core.errors import InputError
from training.metrics.curves import TrainingCurves, read_curves


@dataclass(frozen=True)
class ReportedTraining:
    """One training run: its folder, steps done of those planned, and its curves, None before its first record."""

    folder: str
    done: int
    steps: int
    curves: TrainingCurves | None

    @property
    def tokens(self) -> int | None:
        """Tokens that its steps read."""
        return None if self.curves is None else self.curves.tokens

    def last(self, name: str) -> float | None:
        """The newest value of a curve."""
        curve = None if self.curves is None else self.curves.curves[name]
        return curve.values[-1] if curve and curve.values else None


def reported_trainings(run: str, more: Sequence[str] = ()) -> Iterator[ReportedTraining]:
    """Those of `more`, then those beside the run, whose folders name its data."""
    for training in trainings_on(run, more):
        try:
            curves = read_curves(training.folder)
        except InputError:  # it has no update yet
            curves = None
        yield ReportedTraining(training.folder, training.done, training.steps, curves)
