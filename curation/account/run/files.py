"""Globs of the part files of a run's own stages, for any reader of Parquet.

A run's folder also keeps the sealed stages of earlier recipes, so that going back to one costs nothing. A glob over all
folders would count documents several times.
"""

import glob

from curation.account.run.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import InputError

PARTS = "part-*.parquet"


def files(run: RunFolder, stage: str | None = None) -> list[str]:
    """A glob for each stage of documents in order, or for the one with this name or folder.

    Raises InputError for an unknown stage, a stage without documents, and a run without documents.
    """
    if stage is not None:
        stages = [run.stage(stage)]
        if not stages[0].verb.documents or not stages[0].shards:
            raise InputError(f"{stage} is a {stages[0].verb} stage and has no documents; name another stage, or none")
    else:
        stages = [stage for stage in run.stages if stage.verb.documents and stage.shards]
        if not stages:
            raise InputError(f"{run.folder} has no finished stage with documents; run its recipe with winnow curate")
    return [storage.join(glob.escape(stage.folder), PARTS) for stage in stages]


def sql_list(values: list[str]) -> str:
    """The values as a list in SQL."""
    return "[" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + "]"
