"""Where the rows of a run's own stages are: for readers of Parquet that take globs.

A folder of a run may hold more than the run: what an earlier recipe made stays there, sealed, so that going back to it
costs nothing. Its rows are none of the run's, so a glob over all folders counts documents several times.
"""

import glob

from curation.account.funnel import open_stages
from curation.account.show import find_stage
from curation.core import storage
from curation.core.errors import InputError

PARTS = "part-*.parquet"


def files(folder: str, stage: str | None = None) -> list[str]:
    """A glob for each stage of documents that the run has, in order; or of one stage, by its name or folder.

    Raises InputError for an unknown stage, one that holds no documents, and a run that has none with documents yet.
    """
    if stage is None:
        opened = open_stages(folder)[1]
        paths = [path for _, path, manifest in opened if manifest.verb.documents and manifest.parts]
        if not paths:
            raise InputError(f"no stage of {folder} with documents is finished yet; run its recipe with winnow curate")
    else:
        path, manifest = find_stage(folder, stage)
        if not manifest.verb.documents or not manifest.parts:
            raise InputError(f"{stage} is a {manifest.verb} stage and holds no documents; name another stage, or none")
        paths = [path]
    return [storage.join(glob.escape(path), PARTS) for path in paths]


def sql_list(values: list[str]) -> str:
    """As a list in SQL."""
    return "[" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + "]"
