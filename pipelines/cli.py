"""The command `winnow`: each command reads its arguments, calls one function of a room and prints the result.

Exit codes: 0 done, 1 the run failed, 2 the user must change something, 130 and 143 stopped by SIGINT and SIGTERM.
Bad input gives one line, never a traceback.
"""

import sys
from datetime import UTC, datetime
from typing import Annotated, NoReturn

import typer

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import UserError, WinnowError
from curation.core.full_disk import os_error_line
from curation.core.names import argument_text
from curation.core.progress import FAILURE
from pipelines import api
from pipelines.command_panels import DATA, add_commands
from pipelines.ending import Ending, StopSignal, adopt_orphans
from pipelines.how_to_go_on import last_line
from pipelines.render import progress, sizing, tables
from pipelines.render.console import Json, answer, err, escape_unencodable, out, plain, say
from pipelines.render.funnel import funnel as show_funnel

LONGEST = 10_000  # characters of an error on the terminal

app = typer.Typer(
    help="Turn raw web archives into training data and a language model, with a full account of every document.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

RecipeFile = Annotated[
    str,
    typer.Argument(metavar="RECIPE", help="Recipe file (YAML), or the name of a shipped recipe such as demo or web."),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="Input path, glob or URI instead of the recipe's; SOURCE=GLOB if it has several sources. May be repeated.",
    ),
]
AllowEnv = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-env",
        metavar="NAME",
        help="Environment variable that the recipe may read a secret from; may be repeated.",
    ),
]
AllowFile = Annotated[
    list[str] | None,
    typer.Option("--allow-file", metavar="PATH", help="File that the recipe may read a secret from; may be repeated."),
]
Output = Annotated[str | None, typer.Option("--output", help="Folder for the run; default: runs/RECIPE-NAME.")]
Address = Annotated[
    str | None,
    typer.Option(envvar="RAY_ADDRESS", help="Address of a running Ray cluster; default: start Ray on this machine."),
]


@app.command(rich_help_panel=DATA)
def curate(
    recipe: RecipeFile,
    inputs: Inputs = None,
    output: Output = None,
    address: Address = None,
    cpus: Annotated[int | None, typer.Option(min=1, help="CPU cores to use on this machine; default: all.")] = None,
    inline: Annotated[
        bool,
        typer.Option(
            "--inline", help="Run in this process, without Ray, so that breakpoints work; overrides --address."
        ),
    ] = False,
    allow_env: AllowEnv = None,
    allow_file: AllowFile = None,
    as_json: Json = False,
) -> None:
    """Run a recipe; the same command resumes an interrupted run.

    Ctrl-C stops it within seconds and keeps what is finished; a second Ctrl-C ends it at once.
    """
    if inline and cpus is not None:
        raise UserError("--cpus applies to a local Ray only and cannot be combined with --inline")
    say(err, f"reading the recipe {plain(masked(recipe))}")
    with progress.logged(err):
        parsed = api.read_recipe(recipe, inputs or (), allow_env=allow_env or (), allow_file=allow_file or ())
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


@app.command(rich_help_panel=DATA)
def plan(
    recipe: RecipeFile,
    inputs: Inputs = None,
    output: Output = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Estimate the run on a cluster of this many nodes.")] = None,
    cpus: Annotated[int | None, typer.Option(min=1, help="CPU cores of each node.")] = None,
    like: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Finished run of the recipe on a sample of the input, to estimate from."),
    ] = None,
    price: Annotated[float | None, typer.Option(min=0, help="Price of one node for an hour, in any currency.")] = None,
    times: Annotated[float | None, typer.Option(help="Scale the input size by this factor.")] = None,
    allow_env: AllowEnv = None,
    allow_file: AllowFile = None,
    as_json: Json = False,
) -> None:
    """Check a recipe without running it: what is finished, what would run, and mistakes with their lines.

    With --nodes, --cpus and --like it estimates hours, cost, bytes written, requests and memory instead.
    """
    asked = (nodes, cpus, like, price, times)
    if None in asked[:3] and any(option is not None for option in asked):
        raise UserError(
            "to size a run, give --nodes, --cpus and --like RUN, a finished run of the recipe on a sample of its "
            "input; make one with: winnow curate RECIPE --input SOME_FILES --output RUN"
        )
    parsed = api.read_recipe(recipe, inputs or (), allow_env=allow_env or (), allow_file=allow_file or ())
    if nodes is not None and cpus is not None and like is not None:
        sized = api.size(parsed, like, nodes=nodes, cpus=cpus, price=price, times=1.0 if times is None else times)
        answer(sized, sizing.sizing, as_json=as_json)
        return
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
        for line in api.plan(parsed, output)
    ]
    answer(rows, tables.plan, as_json=as_json)


add_commands(app)


def _write_failure(folder: str, error: WinnowError) -> None:
    """Writes when the run failed, why, and the traceback, which is mentioned where no line says what to change. If that
    fails, as on a full disk, the original error must still show."""
    if error.details and storage.exists(folder):
        path = storage.join(folder, FAILURE)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            storage.replace_bytes(path, f"{when}\n{error}\n\n{error.details}\n".encode(errors="backslashreplace"))
        except OSError:
            return
        if not isinstance(error, UserError):
            say(err, f"[dim]traceback: {plain(masked(path))}[/dim]")


def main() -> None:
    """Entry point: turns errors and signals into one line and an exit code."""
    escape_unencodable()
    with Ending(last_line) as ending:
        try:
            _run()
        except BaseException as end:  # what a signal becomes on its way, such as another exit code of Ray's
            if ending.number is None:
                raise
            line = str(end) if isinstance(end, StopSignal) else ending.line()
            if line:
                say(err, plain(line))
            ending.leave()


def _run() -> None:
    try:
        sys.argv[1:] = map(argument_text, sys.argv[1:])
        app()
    except WinnowError as error:
        _fail(str(error), error.exit_code)
    except OSError as error:
        _fail(os_error_line(error), 1)


def _fail(message: str, code: int) -> NoReturn:
    told = " ".join(masked(message).split())
    if len(told) > LONGEST:
        told = f"{told[: LONGEST // 2]} … {told[-LONGEST // 2 :]}"
    say(err, f"[bold red]error:[/] {plain(told)}")
    sys.exit(code)


if __name__ == "__main__":
    main()
