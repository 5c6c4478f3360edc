"""The command `winnow`: each command reads its arguments, calls one function of a room and prints the result.

Exit codes: 0 done, 1 the run failed, 2 the user must change something, 130 and 143 stopped by SIGINT and SIGTERM.
Bad input gives one line, never a traceback.
"""

import json
import sys
from datetime import UTC, datetime
from typing import Annotated, NoReturn

import typer

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import UserError, WinnowError
from curation.core.progress import FAILURE
from pipelines import api
from pipelines.commands import (
    annotate,
    ask,
    audit,
    card,
    compare,
    curves,
    evalsets,
    evaluate,
    export,
    fetch,
    init,
    inspect,
    jobs,
    model,
    plan_training,
    release,
    report,
    run_files,
    scaling,
    sql,
    takedown,
    tokenizer,
)
from pipelines.ending import LAST_LINE, Ending, StopSignal, adopt_orphans
from pipelines.render import progress, sizing, tables
from pipelines.render.console import Json, answer, err, escape_unencodable, out, plain, say
from pipelines.render.funnel import funnel as show_funnel

app = typer.Typer(
    help="Raw web archives in, a trained language model out, and a full account of every document in between.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

RecipeFile = Annotated[str, typer.Argument(metavar="RECIPE", help="Recipe file, or the name of a shipped one.")]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", help="Input path, glob or URI instead of the recipe's; SOURCE=GLOB where it has several."),
]
Output = Annotated[str | None, typer.Option("--output", help="Run folder; default runs/RECIPE-NAME.")]
Address = Annotated[str | None, typer.Option(envvar="RAY_ADDRESS", help="Ray cluster; default: a local Ray.")]


@app.command()
def curate(
    recipe: RecipeFile,
    inputs: Inputs = None,
    output: Output = None,
    address: Address = None,
    cpus: Annotated[int | None, typer.Option(min=1, help="Cores of a local Ray; default: all.")] = None,
    inline: Annotated[
        bool, typer.Option("--inline", help="In this process, without Ray and whatever --address says: for a debugger.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a recipe; the same command again resumes an interrupted run."""
    if inline and cpus is not None:
        raise UserError("--cpus is of a local Ray, and --inline runs in this process; give either")
    say(err, f"reading the recipe {plain(masked(recipe))}")
    with progress.logged(err):
        parsed = api.read_recipe(recipe, inputs or ())
        folder = api.run_folder(parsed, output)
        adopt_orphans()
        try:
            with progress.StageProgress(err) as bars:
                executor = api.Inline() if inline else None
                address = None if inline else address
                run = api.curate(
                    parsed, folder, ray_address=address, cpus=cpus, executor=executor, on_progress=bars.update
                )
        except WinnowError as error:
            _write_failure(folder, error)
            raise
    storage.delete_file(storage.join(folder, FAILURE))  # of an earlier attempt
    answer(run.funnel(), show_funnel, as_json=as_json)
    if not as_json:
        tables.next_commands(out, masked(folder))


@app.command()
def plan(
    recipe: RecipeFile,
    inputs: Inputs = None,
    output: Output = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes of a cluster: say what the run takes there.")] = None,
    cpus: Annotated[int | None, typer.Option(min=1, help="Cores of each node.")] = None,
    like: Annotated[str | None, typer.Option(metavar="RUN", help="Finished run of the recipe on a sample.")] = None,
    price: Annotated[float | None, typer.Option(min=0, help="Price of a node for an hour.")] = None,
    times: Annotated[float | None, typer.Option(help="Take the input so many times as large as it is.")] = None,
    as_json: Json = False,
) -> None:
    """Dry run: each stage's address, what is sealed and what will run; reports mistakes. Writes nothing.

    With --nodes, --cpus and --like it predicts hours, cost, bytes written, requests and memory instead.
    """
    if nodes is not None and cpus is not None and like is not None:
        sized = api.size(
            recipe,
            like,
            nodes=nodes,
            cpus=cpus,
            price=price,
            times=1.0 if times is None else times,
            inputs=inputs or (),
        )
        answer(sized, sizing.sizing, as_json=as_json)
        return
    if any(option is not None for option in (nodes, cpus, like, price, times)):
        raise UserError(
            "to size a run, give --nodes, --cpus and --like RUN, a finished run of the recipe on a sample of its "
            "input; make one with: winnow curate RECIPE --input SOME_FILES --output RUN"
        )
    rows = [
        {
            "number": line.node.index + 1,
            "stage": line.node.name,
            "verb": line.node.verb.name,
            "components": [key for key, _ in line.node.components],
            "address": line.address,
            "folder": line.folder,
            "status": line.status,
            "units_done": line.done,
            "units": line.units,
            "notes": line.notes,
        }
        for line in api.plan(recipe, output, inputs=inputs or ())
    ]
    answer(rows, tables.plan, as_json=as_json)


for command in (
    *(init.init, inspect.inspect, run_files.status, run_files.watch, run_files.verify),
    *(ask.funnel, ask.why, ask.trace, ask.blame, ask.show, ask.files, ask.duplicates, ask.tune),
    *(ask.list_components, ask.describe, ask.schema),
    *(
        audit.audit,
        compare.compare,
        curves.curves,
        evaluate.evaluate,
        evaluate.average,
        release.release,
        sql.sql,
        card.card,
        report.report,
        export.export,
        takedown.takedown,
        annotate.annotate,
    ),
):
    app.command("list" if command is ask.list_components else None)(command)
app.add_typer(tokenizer.app, name="tokenizer")
app.add_typer(model.app, name="model")
app.add_typer(evalsets.app, name="evalsets")
app.add_typer(fetch.app, name="fetch")
app.add_typer(scaling.app, name="scaling")
app.command("plan-training")(plan_training.plan_training)
app.command()(jobs.submit)
app.add_typer(jobs.app, name="job")


@app.command()
def train(
    recipe: Annotated[str, typer.Argument(metavar="CONFIG", help="Training config, or the name of a shipped one.")],
    data: Annotated[str, typer.Option("--data", help="Run folder, or a mix stage's folder in it.")],
    output: Annotated[str, typer.Option("--output", help="Folder for checkpoints and metrics.")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Training processes; default: one per GPU, or 2 without a GPU.")
    ] = None,
    least_workers: Annotated[
        int | None,
        typer.Option("--least-workers", min=1, help="Go on with as few after a loss; default: wait for all."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Options in place of the config's: optimizer.learning_rate=3e-4."),
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(
            "--init",
            metavar="FOLDER",
            help="Weights to begin with: a training, a checkpoint, or Hugging Face's layout.",
        ),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Read every token file against its checksum first.")] = False,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Train a model on a run's token shards; the same command again resumes from the last checkpoint."""
    begin = [f"init={json.dumps(init)}"] if init else []
    config = api.read_train_config(recipe, [*(overrides or ()), *begin])
    adopt_orphans()
    say(err, plain(masked(f"loading torch and Ray, to train in {output}")))
    with progress.logged(err), progress.TrainProgress(err) as bars:
        result = api.train(
            config,
            data,
            output,
            ray_address=address,
            workers=workers,
            least_workers=least_workers,
            verify=verify,
            on_progress=bars.update,
        )
    answer(result, lambda console, figures: tables.training_result(console, figures, output), as_json=as_json)


def _write_failure(folder: str, error: WinnowError) -> None:
    """Writes when the run failed, why, and the traceback, which is mentioned where no line says what to change. If that
    fails, as on a full disk, the original error must still show."""
    if error.details and storage.exists(folder):
        path = storage.join(folder, FAILURE)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            storage.write_bytes(path, f"{when}\n{error}\n\n{error.details}\n".encode(errors="backslashreplace"))
        except OSError:
            return
        if not isinstance(error, UserError):
            say(err, f"[dim]traceback: {plain(masked(path))}[/dim]")


def main() -> None:
    """Entry point: turns errors and signals into one line and an exit code."""
    escape_unencodable()
    with Ending() as ending:
        try:
            _run()
        except BaseException as end:  # what a signal becomes on its way, such as another exit code of Ray's
            if ending.number is None:
                raise
            line = str(end) if isinstance(end, StopSignal) else LAST_LINE
            if line:
                say(err, plain(line))
            ending.leave()


def _run() -> None:
    try:
        _check_arguments(sys.argv[1:])
        app()
    except WinnowError as error:
        _fail(str(error), error.exit_code)
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        _fail(f"{error.strerror or error}{place}", 1)


def _check_arguments(arguments: list[str]) -> None:
    """Refuses bytes that are not UTF-8, which Python passes as surrogates and no path or address here can hold."""
    for argument in arguments:
        if any("\ud800" <= char <= "\udfff" for char in argument):
            raise UserError(f"{argument!a} is not UTF-8 text; rename the file, or set a locale such as LANG=C.UTF-8")


def _fail(message: str, code: int) -> NoReturn:
    say(err, f"[bold red]error:[/] {plain(masked(' '.join(message.split())))}")
    sys.exit(code)


if __name__ == "__main__":
    main()
