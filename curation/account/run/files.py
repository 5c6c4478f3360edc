"""Where the rows of a run's own stages are: for readers of Parquet that take globs.

The folder of a run may hold more than the run: what an earlier recipe made stays there, sealed, so that going back to
it costs nothing. A glob over all folders would count documents several times.
"""

import glob

from curation.account.run.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import InputError

PARTS = "part-*.parquet"


def files(run: RunFolder, stage: str | None = None) -> list[str]:
    """A glob for each stage of documents of the run, in order; or for one stage, by its name or folder.

    Raises InputError for an unknown stage, one that holds no documents, and a run that has no documents yet.
    """
    if stage is not None:
        stages = [run.stage(stage)]
        if not stages[0].verb.documents or not stages[0].shards:
            raise InputError(f"{stage} is a {stages[0].verb} stage and holds no documents; name another stage, or none")
    else:
        stages = [stage for stage in run.stages if stage.verb.documents and stage.shards]
        if not stages:
            raise InputError(
                f"no stage of {run.folder} with documents is finished yet; run its recipe with winnow curate"
            )
    return [storage.join(glob.escape(stage.folder), PARTS) for stage in stages]


def sql_list(values: list[str]) -> str:
    """A list in SQL."""
    return "[" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + "]"
