"""winnow from Python: the commands as functions. Recipes and training configs may also be mappings.

    from pipelines.api import Run, curate, train

    run = curate({"version": 1, "name": "mine", "sources": {"web": [{"read": {"jsonl": {"paths": ["*.jsonl"]}}}]}})
    print(run.funnel().stages[0].kept)
    train({"steps": 100}, run.folder, "runs/model")

`Run.open(folder)` opens an existing run.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from curation.account.run import Run as Run
from curation.core import storage
from curation.core.errors import InputError, StageError, UserError
from curation.core.installation import with_extras

if TYPE_CHECKING:  # slow to import, and most commands do not need them
    from curation.account.annotate.annotations import Annotations
    from curation.account.annotate.budget import Prices
    from curation.account.annotate.endpoint import Endpoint
    from curation.account.annotate.rubric import Rubric
    from curation.account.annotate.teacher import Progress as Asking
    from curation.account.compare.compare import Comparison
    from curation.core.progress import Progress
    from curation.engine.recipe.recipe import Recipe
    from curation.engine.run.dry_run import PlannedStage
    from curation.engine.sizing.sizing import Sizing
    from training.config.run import TrainConfig

PathLike = str | os.PathLike[str]
RecipeLike: TypeAlias = "PathLike | Mapping[str, Any] | Recipe"
ConfigLike: TypeAlias = "PathLike | Mapping[str, Any] | TrainConfig"
MAPPING = "recipe"  # the name in messages of a recipe that is a mapping


def read_recipe(recipe: RecipeLike, inputs: Sequence[str] = ()) -> "Recipe":
    """Reads a recipe from a file, the name of a shipped one, or a mapping with the keys of a file.

    `inputs` replace the paths of sources: PATH for the only source, or SOURCE=PATH. Raises RecipeError with the place
    of a mistake, InputError if there is no such file.
    """
    from curation.core.settings import YamlFile
    from curation.engine.recipe.recipe import Recipe, from_document, parse

    if isinstance(recipe, Recipe):
        return recipe
    if not isinstance(recipe, Mapping):
        name, text = _file(os.fspath(recipe), "curate")
        return parse(text, name, inputs)
    return from_document(YamlFile(MAPPING, dict(recipe), {}), inputs)


def plan(recipe: RecipeLike, output: PathLike | None = None, *, inputs: Sequence[str] = ()) -> "list[PlannedStage]":
    """What `curate` would do, stage by stage; raises the same errors. Writes nothing."""
    from curation.engine.run.dry_run import dry_run

    parsed = read_recipe(recipe, inputs)
    return dry_run(parsed, run_folder(parsed, output))


def size(
    recipe: RecipeLike,
    like: PathLike | Run,
    *,
    nodes: int,
    cpus: int,
    price: float | None = None,
    times: float = 1.0,
    inputs: Sequence[str] = (),
) -> "Sizing":
    """What `curate` would take on so many nodes with so many cores each: hours, cost, bytes, requests and memory.

    `like` is a finished run of the recipe on a sample of the input; `times` multiplies the input that is listed;
    `price` is of a node for an hour. Raises InputError where the sample lacks a stage.
    """
    from curation.engine.sizing.sizing import size_run
    from curation.engine.sizing.step_size import Nodes

    sample = like.folder if isinstance(like, Run) else os.fspath(like)
    return size_run(read_recipe(recipe, inputs), sample, Nodes(nodes, cpus), times=times, price=price)


def curate(
    recipe: RecipeLike,
    output: PathLike | None = None,
    *,
    inputs: Sequence[str] = (),
    ray_address: str | None = None,
    cpus: int | None = None,
    on_progress: "Callable[[Progress], None]" = lambda _: None,
) -> Run:
    """Runs a recipe into the folder `output` (default: runs/RECIPE-NAME) and opens the run. The same call resumes.

    `ray_address` names a Ray cluster, whose nodes are asked first for what they lack; else a Ray with `cpus` cores
    (default: all) is started here and stopped. The loggers below `curation` tell a line per minute and stage. Raises
    RecipeError or InputError before any work, with nothing written, if it cannot run, StageError if a stage fails.
    """
    parsed = read_recipe(recipe, inputs)  # before the slow imports, so that a mistake shows at once
    from curation.engine.run import prepare, reports

    folder = run_folder(parsed, output)
    prepared = prepare.prepare(parsed, folder)
    if prepared.finished:  # without the seconds that importing Ray takes
        reports.report_sealed(prepared.state.manifests.values(), on_progress)
        return Run.open(folder)
    from cluster.nodes import check_nodes
    from cluster.package import asset_paths, keyed
    from curation.engine.run.runner import run_prepared
    from curation.engine.run.session import Session

    with Session(ray_address, cpus, lambda: check_nodes(asset_paths(parsed), folder, keyed(parsed))) as session:
        run_prepared(prepared, session, on_progress)
    return Run.open(folder)


def train(
    config: ConfigLike,
    data: PathLike | Run,
    output: PathLike,
    *,
    ray_address: str | None = None,
    workers: int | None = None,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Trains a model on the token shards of a run, or of the folder of a mix stage, and returns what result.json holds.
    The same call resumes. `config`: a file, a shipped name, or a mapping. `workers`: default one per GPU, else 2.

    Raises UserError before any work if the training cannot run, StageError if it fails.
    """
    folder = data.folder if isinstance(data, Run) else os.fspath(data)
    parsed = read_train_config(config)
    try:
        from training import job
    except ImportError as error:
        raise UserError(f"training needs torch ({error}); run {with_extras('train')}") from error
    if ray_address:
        from cluster.nodes import check_nodes
        from curation.engine.run.session import Session

        with Session(ray_address) as session:
            session.start()
            check_nodes([folder], os.fspath(output))
    try:
        return job.train(
            parsed,
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


def read_train_config(config: ConfigLike) -> "TrainConfig":
    """Reads a training config like `read_recipe`; raises the same errors."""
    from training.config.parse import load, parse

    if isinstance(config, Mapping):
        return parse(config)
    if isinstance(config, str | os.PathLike):
        name, text = _file(os.fspath(config), "train")
        return load(text, name)
    return config


def compare(
    runs: Sequence[PathLike | Run], heldout: Sequence[PathLike], *, decoder: "ConfigLike | None" = None, **options: Any
) -> "Comparison":
    """Bits per byte of held-out texts after an n-gram model, or with a config a decoder, has learned from each run;
    `options` and errors are those of `pipelines.compare.compare_runs`."""
    from pipelines.compare import compare_runs

    return compare_runs(runs, heldout, read_train_config(decoder) if decoder is not None else None, **options)


def annotate(
    source: PathLike | Run,
    output: PathLike,
    *,
    rubric: "PathLike | Rubric",
    endpoint: "Endpoint",
    documents: int = 1000,
    strata: str | None = None,
    prices: "Prices | None" = None,
    cache: PathLike | None = None,
    with_text: bool = True,
    on_progress: "Callable[[Asking], None]" = lambda _: None,
) -> "Annotations":
    """Scores a sample of a run's documents, or of files, with a language model, and writes them to `output`.

    The sample is spread over sources and, with `strata`, over the range of a signal such as `language.score`. Answers
    are stored in `cache` (default: OUTPUT.answers) and never paid for again. Raises UserError before any request where
    nothing can come of it, StageError where the endpoint gives no answers.
    """
    from curation.account.annotate.annotate import annotate as score
    from curation.account.annotate.budget import Prices

    return score(
        source.folder if isinstance(source, Run) else os.fspath(source),
        os.fspath(output),
        rubric=read_rubric(rubric),
        endpoint=endpoint,
        prices=prices or Prices(),
        documents=documents,
        signal=strata,
        cache=None if cache is None else os.fspath(cache),
        with_text=with_text,
        on_progress=on_progress,
    )


def read_rubric(rubric: "PathLike | Rubric") -> "Rubric":
    """Reads a rubric from a file or the name of a shipped one. Raises RecipeError with the place of a mistake."""
    from curation.account.annotate.rubric import Rubric, parse_rubric

    if isinstance(rubric, Rubric):
        return rubric
    name, text = _file(os.fspath(rubric), "rubrics")
    return parse_rubric(text, name)


def run_folder(recipe: "Recipe", output: PathLike | None) -> str:
    return f"runs/{recipe.name}" if output is None else os.fspath(output)


def _file(name: str, kind: str) -> tuple[str, str]:
    """Name for messages, and text, of a file or of the shipped one with that name."""
    shipped = Path(__file__).parent / kind
    if "/" not in name and not name.endswith((".yaml", ".yml")):
        path = shipped / f"{name}.yaml"
        if not path.exists():
            known = ", ".join(sorted(file.stem for file in shipped.glob("*.yaml")))
            what = "rubric" if kind == "rubrics" else "recipe"
            raise InputError(f"no {what} named {name!r} is shipped; give a path to a .yaml file, or one of: {known}")
        return str(path), path.read_text()
    try:
        return name, storage.read_bytes(name).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: {error}") from error
