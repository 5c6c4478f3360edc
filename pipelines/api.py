"""winnow from Python: the commands as functions. Recipes and training configs may also be mappings.

import winnow  # which has these functions

run = winnow.curate([winnow.filters.GopherQuality(), winnow.dedup.Exact()], texts, "runs/mine")
print(run.funnel().stages[0].kept)
winnow.train({"steps": 100}, winnow.Run.open("runs/mine"), "runs/model")  # a run that exists is opened by its folder
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from curation.account.run import Run as Run
from curation.core.errors import StageError, UserError
from curation.core.installation import importing
from curation.engine.executor.inline import Inline as Inline
from pipelines.recipe_reading import RecipeLike, document_of, read_document
from pipelines.recipe_reading import read_recipe as read_recipe
from pipelines.shipped import named_file
from pipelines.trained_models import evaluate as evaluate
from pipelines.trained_models import release as release

if TYPE_CHECKING:  # slow to import, and most commands do not need them
    from curation.account.annotate.annotate import Annotations
    from curation.account.annotate.budget import Prices
    from curation.account.annotate.endpoint import Endpoint
    from curation.account.annotate.rubric import Rubric
    from curation.account.annotate.teacher import TeacherProgress as Asking
    from curation.account.compare.compare import Comparison
    from curation.core.progress import Progress
    from curation.engine.driver.dry_run import PlannedStage
    from curation.engine.executor.executor import Executor
    from curation.engine.recipe.recipe import Recipe
    from curation.engine.sizing.sizing import Sizing
    from pipelines.takedown import TakedownOutcome
    from training.config.run import TrainConfig

PathLike = str | os.PathLike[str]
ConfigLike: TypeAlias = "PathLike | Mapping[str, Any] | TrainConfig"


def plan(recipe: RecipeLike, output: PathLike | None = None, *, inputs: Sequence[str] = ()) -> "list[PlannedStage]":
    """What `curate` would do, stage by stage; raises the same errors. Writes nothing."""
    from curation.engine.driver.dry_run import dry_run

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

    sample = _folder(like)
    return size_run(read_recipe(recipe, inputs), sample, nodes=nodes, cpus=cpus, times=times, price=price)


def curate(
    recipe: RecipeLike,
    texts: Any = None,
    output: PathLike | None = None,
    *,
    inputs: Sequence[str] = (),
    ray_address: str | None = None,
    cpus: int | None = None,
    executor: "Executor | None" = None,
    on_progress: "Callable[[Progress], None]" = lambda _: None,
) -> Run:
    """Runs a recipe into the folder `output` (default: runs/RECIPE-NAME) and opens the run. The same call resumes.

    `texts` is what the recipe's source reads in place of files: an iterable of texts or of mappings with `text`, a
    column or a table of Arrow or pandas, an Arrow reader, a data set of `datasets`. A path there is the output.
    `ray_address` names a Ray cluster, whose nodes are asked first for what they lack; else a Ray with `cpus` cores
    (default: all) is started here and stopped. With `executor=Inline()` all runs in this process, for a debugger: an
    error comes as it is. The loggers below `curation` write a line per minute and stage. Raises RecipeError or
    InputError before any work, with nothing written, if it cannot run, StageError if a stage fails.
    """
    from pipelines.curate_recipe import curate_recipe
    from pipelines.texts_input import reading, texts_written

    if isinstance(texts, str | os.PathLike):
        if output is not None:
            raise UserError(f"{texts!r} is one path too many; texts come as a list of them: [text]")
        texts, output = None, texts
    if executor is not None and (ray_address is not None or cpus is not None):
        raise UserError("pass either `executor`, or `ray_address` and `cpus`, not both")
    if texts is None:
        parsed = read_recipe(recipe, inputs)  # before the slow imports, so that a mistake shows at once
        return curate_recipe(parsed, run_folder(parsed, output), ray_address, cpus, executor, on_progress)
    if inputs:
        raise UserError("give texts or inputs, not both: they are read by the same source")
    document = document_of(recipe)
    folder = run_folder(read_document(reading(document, "texts")), output)  # raises what is wrong before any writing
    with texts_written(texts, folder) as path:
        parsed = read_document(reading(document, path))
        return curate_recipe(parsed, folder, ray_address, cpus, executor, on_progress)


def train(
    config: ConfigLike,
    data: PathLike | Run,
    output: PathLike,
    *,
    ray_address: str | None = None,
    workers: int | None = None,
    least_workers: int | None = None,
    device: Literal["auto", "gpu", "cpu"] = "auto",
    branch_from: PathLike | None = None,
    verify: bool = False,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Trains a model on the token shards of a run, or of the folder of a mix stage, and returns what result.json holds.
    The same call resumes. `config`: a file, a shipped name, or a mapping, in which components may be objects.
    `workers`: default one per GPU, else 2. It begins with as few as `least_workers`, and goes on with so many after a
    loss. `device`: "auto" takes GPUs if the cluster has some or can start some, "gpu" waits for them, "cpu" takes none.
    `branch_from`: RUN or RUN@STEP, a checkpoint of another training run from which this one goes on with its own
    settings. `verify`: every token file is read against its checksum first.

    Raises UserError before any work if the training cannot run, StageError if it fails.
    """
    folder = _folder(data)
    parsed = read_train_config(config)
    with importing("train", "training needs torch"):
        from training import job
    if ray_address:
        from cluster.nodes import check_nodes
        from curation.engine.executor.on_ray import OnRay

        with OnRay(ray_address, check_nodes=lambda: check_nodes([folder], os.fspath(output))) as cluster:
            cluster.check(())
    try:
        result = job.train(
            parsed,
            folder,
            os.fspath(output),
            ray_address=ray_address,
            workers=workers,
            least_workers=least_workers,
            device=device,
            branch_from=None if branch_from is None else os.fspath(branch_from),
            verify=verify,
            on_progress=on_progress,
        )
    except UserError:
        raise
    except ValueError as error:
        raise UserError(str(error)) from error
    except RuntimeError as error:
        raise StageError(str(error)) from error
    from pipelines.report.report import show_training

    show_training(folder, os.fspath(output))
    return result


def takedown(
    run: PathLike | Run,
    *,
    urls: PathLike | None = None,
    doc_ids: PathLike | None = None,
    other: PathLike | None = None,
    trainings: Sequence[PathLike] = (),
) -> "TakedownOutcome":
    """Erases documents and their copies from every stage and token shard of a run, and keeps them out of later runs.

    `urls` or `doc_ids` is a file with one per line; `other` is a run whose takedowns are made here too. `trainings` are
    folders of training runs that are not beside the run. Raises UserError, before any change, for a file or a run in
    which nothing can be taken down, and StageError where a file cannot be changed; the same call then goes on.
    """
    from pipelines.takedown import asked_for, take_down

    return take_down(_folder(run), asked_for(urls, doc_ids, other), [os.fspath(one) for one in trainings])


def plan_takedown(
    run: PathLike | Run,
    *,
    urls: PathLike | None = None,
    doc_ids: PathLike | None = None,
    other: PathLike | None = None,
    trainings: Sequence[PathLike] = (),
) -> "TakedownOutcome":
    """What `takedown` would do; raises the same errors. Changes nothing."""
    from pipelines.takedown import asked_for, preview

    return preview(_folder(run), asked_for(urls, doc_ids, other), [os.fspath(one) for one in trainings])


def read_train_config(config: ConfigLike, overrides: Sequence[str] = ()) -> "TrainConfig":
    """Reads a training config like `read_recipe`, with options such as `optimizer.learning_rate=3e-4` in place of its
    own; raises the same errors."""
    from pipelines.recipe_objects import config_of
    from training.config.parse import as_mapping, load, parse

    if isinstance(config, str | os.PathLike):
        name, text = named_file(os.fspath(config), "train")
        return load(text, name, overrides)
    return parse(config_of(config) if isinstance(config, Mapping) else as_mapping(config), overrides=overrides)


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
        _folder(source),
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
    name, text = named_file(os.fspath(rubric), "rubrics")
    return parse_rubric(text, name)


def run_folder(recipe: "Recipe", output: PathLike | None) -> str:
    return f"runs/{recipe.name}" if output is None else os.fspath(output)


def _folder(run: PathLike | Run) -> str:
    return run.folder if isinstance(run, Run) else os.fspath(run)
