"""winnow from Python: what the command line does, as functions. Recipes and training configs may be mappings too.

    from pipelines.api import Run, curate, train

    run = curate({"version": 1, "name": "mine", "sources": {"web": [{"read": {"jsonl": {"paths": ["*.jsonl"]}}}]}})
    print(run.funnel().stages[0].kept)
    train({"steps": 100}, run.folder, "runs/model")

`Run.open(folder)` opens a run that is there already.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curation.account.run import Run as Run
from curation.core import storage
from curation.core.errors import InputError, StageError, UserError

if TYPE_CHECKING:  # these take longer to import than a command that does not run them should
    from curation.engine.recipe.recipe import Recipe
    from curation.engine.run.dry_run import PlannedStage
    from curation.engine.run.progress import Progress
    from training.config import TrainConfig

PathLike = str | os.PathLike[str]
MAPPING = "recipe"  # stands for the file's name where a recipe is a mapping


def read_recipe(recipe: "PathLike | Mapping[str, Any] | Recipe", inputs: Sequence[str] = ()) -> "Recipe":
    """A recipe from a file, the name of a shipped one, or a mapping with the keys that a file has.

    `inputs` replace the paths of sources: PATH for the only one, or SOURCE=PATH. Raises RecipeError with the place of
    what is wrong, InputError where there is no such file.
    """
    from curation.core.settings import YamlFile
    from curation.engine.recipe.recipe import Recipe, from_document, parse

    if isinstance(recipe, Recipe):
        return recipe
    if not isinstance(recipe, Mapping):
        name, text = _file(os.fspath(recipe), "curate")
        return parse(text, name, inputs)
    return from_document(YamlFile(MAPPING, dict(recipe), {}), inputs)


def plan(
    recipe: "PathLike | Mapping[str, Any] | Recipe", output: PathLike | None = None, *, inputs: Sequence[str] = ()
) -> "list[PlannedStage]":
    """What `curate` would do, stage by stage; refuses what it would refuse. Writes nothing."""
    from curation.engine.run.dry_run import dry_run

    parsed = read_recipe(recipe, inputs)
    return dry_run(parsed, run_folder(parsed, output))


def curate(
    recipe: "PathLike | Mapping[str, Any] | Recipe",
    output: PathLike | None = None,
    *,
    inputs: Sequence[str] = (),
    ray_address: str | None = None,
    cpus: int | None = None,
    on_progress: "Callable[[Progress], None]" = lambda _: None,
) -> Run:
    """Runs a recipe into the folder `output` (default: runs/RECIPE-NAME) and opens the run; again, it resumes.

    `ray_address` is that of a Ray cluster; without one, a Ray with `cpus` cores (default: all) is started here and
    ended. Raises RecipeError or InputError before any work for what cannot run, StageError where a stage fails.
    """
    parsed = read_recipe(recipe, inputs)  # first: a mistake in it shows before the rest is imported
    from curation.engine.run import runner
    from curation.engine.run.session import Session

    folder = run_folder(parsed, output)
    with Session(ray_address, cpus) as session:
        runner.curate(parsed, folder, session, on_progress)
    return Run.open(folder)


def train(
    config: "PathLike | Mapping[str, Any] | TrainConfig",
    data: PathLike | Run,
    output: PathLike,
    *,
    ray_address: str | None = None,
    workers: int | None = None,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Trains a model on a run's token shards (or on a mix stage's folder in it) and gives what result.json holds; the
    same call again resumes from the last checkpoint. `config`: a file, the name of a shipped one, or a mapping.
    `workers`: default one per GPU, or 2 without any.

    Raises UserError before any work for what cannot run, StageError where training fails.
    """
    try:
        from training import job
    except ImportError as error:
        raise UserError(f"training needs torch ({error}); install it with: pip install 'winnow[train]'") from error
    folder = data.folder if isinstance(data, Run) else os.fspath(data)
    try:
        return job.train(
            _train_config(config),
            folder,
            os.fspath(output),
            ray_address=ray_address,
            workers=workers,
            on_progress=on_progress,
        )
    except UserError:
        raise
    except ValueError as error:
        raise UserError(str(error)) from error
    except RuntimeError as error:
        raise StageError(str(error)) from error


def _train_config(config: "PathLike | Mapping[str, Any] | TrainConfig") -> "TrainConfig":
    from training.config import TrainConfig, load, parse

    if isinstance(config, TrainConfig):
        return config
    if isinstance(config, Mapping):
        return parse(config)
    name, text = _file(os.fspath(config), "train")
    return load(text, name)


def run_folder(recipe: "Recipe", output: PathLike | None) -> str:
    """The run's folder: `output`, or runs/RECIPE-NAME."""
    return f"runs/{recipe.name}" if output is None else os.fspath(output)


def _file(name: str, kind: str) -> tuple[str, str]:
    """Name for messages and text of a file, or of the one shipped under that name."""
    shipped = Path(__file__).parent / kind
    if "/" not in name and not name.endswith((".yaml", ".yml")):
        path = shipped / f"{name}.yaml"
        if not path.exists():
            known = ", ".join(sorted(one.stem for one in shipped.glob("*.yaml")))
            raise InputError(f"no recipe named {name!r} is shipped; give a path to a .yaml file, or one of: {known}")
        return str(path), path.read_text()
    try:
        return name, storage.read_bytes(name).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: {error}") from error
