"""The contamination stages of a run, with what they looked for and how."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curation.account.sealed.components import check_files, components_of
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.core import storage
from curation.core.errors import InputError
from curation.filters.contamination import Contamination
from curation.models.evalsets import decon
from curation.models.evalsets.index import EvalsetIndex, array_name, load

KEY = "contamination"
FIT = "evalsets"


@dataclass(frozen=True)
class ContaminationCheck:
    """Stages that looked for the same items in the same way, such as one per source."""

    filter: Contamination
    stages: tuple[SealedStage, ...]

    @property
    def index(self) -> EvalsetIndex:
        return load(self.filter.evalsets)

    def possible(self) -> npt.NDArray[np.bool_]:
        """bool[I]: the items that could be found: they have n-grams of the method, and enough tokens."""
        counts = self.index.array(array_name("counts", self.filter.size))
        possible: npt.NDArray[np.bool_] = (counts[:, 2] > 0) & (counts[:, 5] >= self.filter.min_tokens)
        if self.filter.method == "decon":
            possible &= counts[:, 6] + counts[:, 7] >= decon.LEAST_TOKENS
        return possible


def checked(run: RunFolder) -> list[ContaminationCheck]:
    """Raises InputError for a run without such a stage, and where the index is gone or another one."""
    groups: dict[Contamination, list[SealedStage]] = {}
    for stage in run.stages:
        if stage.verb.judges and KEY in stage.manifest.order:
            components = components_of(run, stage)
            check_files(stage, {KEY: components[KEY]})
            groups.setdefault(components[KEY], []).append(stage)
    if not groups:
        raise InputError(
            f"{run.folder} has no sealed stage that looks for evaluation sets; add `fit: {{evalsets: …}}` and `filter: "
            "{contamination: …}` to its recipe, or ask for one item: winnow evalsets seen RUN --item TEXT"
        )
    return [ContaminationCheck(one, tuple(stages)) for one, stages in groups.items()]


def indexes(run: RunFolder) -> list[EvalsetIndex]:
    """The indexes that the run's recipe fitted or names, each once; none without evaluation sets."""
    paths = [
        storage.join(stage.folder, stage.manifest.asset["file"])
        for stage in run.stages
        if stage.verb.learns and FIT in stage.manifest.order and stage.manifest.asset is not None
    ]
    for stage in run.stages:
        if stage.verb.judges and KEY in stage.manifest.order:
            paths.append(components_of(run, stage)[KEY].evalsets)
    return [load(path) for path in dict.fromkeys(paths)]
