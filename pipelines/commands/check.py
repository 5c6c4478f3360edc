"""The commands that look at a run's files rather than its documents: `winnow status`."""

from pipelines.commands.ask import RunFolder
from pipelines.render import progress
from pipelines.render.console import Json, answer


def status(run: RunFolder, as_json: Json = False) -> None:
    """How far a run is and which process holds it; works from any terminal, also after the run was killed."""
    from curation.account.status import status as read_status

    answer(read_status(run), progress.status, as_json=as_json)
