"""The report in a run's folder: written on request, and kept in step with the run from then on.

A run that goes on marks it at its head, and makes it again when it ends; so does a takedown, which empties it first,
because it may show what is taken down. Whatever interrupts them, the report tells that it is not of the run as it is.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from curation.account.audit.clean import audit_clean
from curation.account.report.comparison import comparison
from curation.account.report.report import fingerprint, run_report
from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import WinnowError
from curation.core.manifest import read_run, run_around
from pipelines.report.page import page, stale
from pipelines.report.trainings import reported_trainings

REPORT = "report.html"


def write_report(
    folder: str,
    output: str | None = None,
    *,
    compare: str | None = None,
    clean: str | None = None,
    trainings: Sequence[str] = (),
) -> str:
    """Writes the page and returns its path, by default REPORT in the run's folder. `compare` is another run, `clean`
    good documents as `audit_clean` takes them, `trainings` folders of trainings in addition to those beside the run.
    Raises InputError for a run without a sealed stage of documents, or two that share none."""
    run = RunFolder.open(folder)
    against = None if compare is None else comparison(run, RunFolder.open(compare))
    good = None if clean is None else audit_clean(run, clean)
    path = output or storage.join(folder, REPORT)
    storage.replace_bytes(path, page(run_report(run), [*reported_trainings(folder, trainings)], against, good))
    return path


def show_training(folder: str, training: str) -> None:
    """Makes the report of the run around a folder of data again, so that it shows a training run; does nothing for a
    run that has no report."""
    run = run_around(folder)
    if run is None or not storage.exists(storage.join(run, REPORT)):
        return
    with suppress(WinnowError, OSError):  # the training is finished, whatever becomes of the report
        write_report(run, trainings=[training])


@contextmanager
def kept_in_step(folder: str, *, erasing: bool = False) -> Iterator[None]:
    """While the run changes, its report says so, or (`erasing`) shows nothing else; afterwards it is made again, if the
    run has changed. Does nothing for a run that has no report."""
    path = storage.join(folder, REPORT)
    if not storage.exists(path):
        yield
        return
    written = storage.read_bytes(path)
    marked = stale(written, folder)
    if erasing:
        storage.write_bytes(path, stale(b"", folder))  # also on a full disk nothing of the old page stays
    else:
        storage.replace_bytes(path, marked)
    yield
    try:
        if marked != written and fingerprint(read_run(folder)).encode() in written:
            storage.replace_bytes(path, written)  # the run is as it was
        else:
            write_report(folder)
    except WinnowError:  # the report has said for itself that it is of another state of the run
        return
