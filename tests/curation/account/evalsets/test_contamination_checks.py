"""Which sets a run looked for."""

from curation.account.evalsets.contamination_checks import indexes
from curation.account.run import Run
from curation.account.sealed.run_folder import RunFolder


def test_the_sets_of_a_run(marked: Run, unchecked: Run) -> None:
    (index,) = indexes(RunFolder.open(marked.folder))
    assert set(index.sets) == {"sums", "places"}
    assert indexes(RunFolder.open(unchecked.folder)) == []
