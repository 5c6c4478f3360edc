"""Makes takedowns of other runs, and a recipe's list, hold in the files that a run has: before it runs and after."""

from collections.abc import Callable

from curation.account.lineage.copies import values_of
from curation.account.lineage.removed_rows import named_rows, with_text
from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import RUN, read_run
from curation.core.progress import Progress
from curation.core.removals import KnownTakedown
from curation.core.wording import counted, listed
from curation.engine.driver.prepare import PreparedRun
from curation.engine.driver.reports import report_note
from curation.engine.erase.takedown import unfinished
from curation.engine.recipe.removed import removals_of
from curation.tokens.mix import Mix
from pipelines.takedown import finish, settled

SHOWN = 5  # runs and lists


def finish_cut_off(folder: str) -> None:
    """Finishes what `settle` began here and was cut off; nobody asked for it by a command that could be repeated."""
    storage.check_run_folder(folder)
    if RUN in storage.list_names(folder):  # a store that refuses says so here
        entries = read_run(folder).takedowns
        if any("of" in entries[takedown.number] for takedown in unfinished(folder)):
            finish(folder)


def settle(folder: str, on_progress: Callable[[Progress], None]) -> None:
    """Erases what the run's removals name and its files still hold, and says how much that was."""
    outcome = settled(folder)
    if outcome is None or outcome.record is None:
        return
    stages = counted(len(outcome.record["stages"]), "stage")
    where = listed(outcome.record["of"], SHOWN)
    what = f"erased from {stages}, because taken down in {where} or a copy of that: {counted(outcome.new, 'document')}"
    report_note("takedowns", what, on_progress)


def refuse_mixed(prepared: PreparedRun) -> None:
    """Raises InputError where a run that a mix takes rows of still holds documents that this run, or another that it
    reads, has taken down."""
    state = prepared.state
    mixes = [node.stage.sole(Mix) for node in prepared.unsealed if node.verb.mixes]
    for folder in dict.fromkeys(storage.real(path) for mix in mixes for path in mix.runs.values()):
        run = RunFolder.open(folder)
        own = removals_of(state.output) if prepared.before is not None else []
        for removal in (*own, *state.removals):
            if removal.of != folder:
                _refuse_held(run, removal)


def _refuse_held(run: RunFolder, removal: KnownTakedown) -> None:
    known = set(run.record.tombstones)
    held = [one for one in values_of(with_text(named_rows(run, [removal])), "doc_id") if one not in known]
    if held:
        option = f"--from {removal.of}" if removal.when else "--urls or --doc-ids"
        raise InputError(
            f"{run.folder} holds {counted(len(held), 'document')} taken down in {removal.of}, and this recipe mixes "
            f"its rows: take them down there first, by `winnow takedown {run.folder} {option}`"
        )
