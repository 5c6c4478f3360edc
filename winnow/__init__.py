"""winnow as a library: components by name, the commands as functions, and the bases of components of one's own.

import winnow

winnow.filters.GopherQuality(min_words=30)("some text")  # kept, reason and signals
run = winnow.curate([winnow.filters.GopherQuality(), winnow.dedup.Exact()], texts)  # texts: any iterable
print(run)

Nothing is imported before it is asked for, so `import winnow` takes no time; docs/python.md has examples of all of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from winnow.packages import claim

claim()

from winnow import dedup as dedup  # noqa: E402
from winnow import extract as extract  # noqa: E402
from winnow import filters as filters  # noqa: E402
from winnow import fit as fit  # noqa: E402
from winnow import models as models  # noqa: E402
from winnow import objectives as objectives  # noqa: E402
from winnow import optim as optim  # noqa: E402
from winnow import rewrite as rewrite  # noqa: E402
from winnow import sources as sources  # noqa: E402
from winnow import tokens as tokens  # noqa: E402

if TYPE_CHECKING:
    from curation.core.answers import Extraction as Extraction
    from curation.core.answers import Judgement as Judgement
    from curation.core.answers import Rewrite as Rewrite
    from curation.core.by_language import ByLanguage as ByLanguage
    from curation.core.component import Component as Component
    from curation.core.errors import InputError as InputError
    from curation.core.errors import RecipeError as RecipeError
    from curation.core.errors import StageError as StageError
    from curation.core.errors import UserError as UserError
    from curation.core.errors import WinnowError as WinnowError
    from curation.core.filter import Filter as Filter
    from curation.core.function_filter import filter as filter
    from curation.core.limits import Limit as Limit
    from curation.core.needs import Needs as Needs
    from curation.core.protocols import Extractor as Extractor
    from curation.core.protocols import Rewriter as Rewriter
    from curation.core.protocols import Source as Source
    from pipelines.api import Inline as Inline
    from pipelines.api import Run as Run
    from pipelines.api import annotate as annotate
    from pipelines.api import compare as compare
    from pipelines.api import curate as curate
    from pipelines.api import evaluate as evaluate
    from pipelines.api import plan as plan
    from pipelines.api import plan_takedown as plan_takedown
    from pipelines.api import read_recipe as read_recipe
    from pipelines.api import read_rubric as read_rubric
    from pipelines.api import read_train_config as read_train_config
    from pipelines.api import release as release
    from pipelines.api import size as size
    from pipelines.api import takedown as takedown
    from pipelines.api import train as train
    from training.config.components import Architecture as Architecture
    from training.config.components import Objective as Objective
    from training.config.components import Optimizer as Optimizer
    from training.config.components import Schedule as Schedule

HOMES = {
    "curation.core.answers": ("Extraction", "Judgement", "Rewrite"),
    "curation.core.by_language": ("ByLanguage",),
    "curation.core.component": ("Component",),
    "curation.core.errors": ("InputError", "RecipeError", "StageError", "UserError", "WinnowError"),
    "curation.core.filter": ("Filter",),
    "curation.core.function_filter": ("filter",),
    "curation.core.limits": ("Limit",),
    "curation.core.needs": ("Needs",),
    "curation.core.protocols": ("Extractor", "Rewriter", "Source"),
    "pipelines.api": (
        *("Inline", "Run", "annotate", "compare", "curate", "evaluate", "plan", "plan_takedown", "read_recipe"),
        *("read_rubric", "read_train_config", "release", "size", "takedown", "train"),
    ),
    "training.config.components": ("Architecture", "Objective", "Optimizer", "Schedule"),
}
ROOMS = ("dedup", "extract", "filters", "fit", "models", "objectives", "optim", "rewrite", "sources", "tokens")
_HOME = {name: module for module, names in HOMES.items() for name in names}


if not TYPE_CHECKING:  # a checker of types would take any name for there

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            from curation.core.installation import DISTRIBUTION

            return version(DISTRIBUTION)
        if name not in _HOME:
            raise AttributeError(f"module 'winnow' has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted([*ROOMS, *_HOME])
