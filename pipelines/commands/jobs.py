"""The commands `winnow submit` and `winnow job`: runs as jobs of a Ray cluster."""

import contextlib
import sys
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import RecipeError, UserError
from curation.core.installation import WHEEL
from curation.core.printable import coloured_lines
from curation.core.stores import check_scheme
from pipelines import api
from pipelines.ending import StopSignal
from pipelines.render import jobs as render
from pipelines.render.console import Json, answer, err, out, plain, say

if TYPE_CHECKING:  # slow to import
    from curation.engine.recipe.recipe import Recipe

app = typer.Typer(help="Follow, cancel and list the jobs that `winnow submit` started.", no_args_is_help=True)

URL = "http://127.0.0.1:8265"
Address = Annotated[
    str, typer.Option(envvar="RAY_API_SERVER_ADDRESS", metavar="URL", help="URL of the Ray cluster's dashboard.")
]
JobId = Annotated[str, typer.Argument(metavar="ID", help="As `winnow submit` and `winnow job list` print it.")]


def submit(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="`curate …` or `train …`.")],
    address: Address = URL,
    working_dir: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Run the command in a copy of this folder, which is sent with the job, hidden files excepted.",
        ),
    ] = None,
    wheel: Annotated[
        list[Path] | None,
        typer.Option(help="A wheel to send: winnow's own (`make wheel`), or of components; may be repeated."),
    ] = None,
    job: Annotated[str, typer.Option("--id", help="ID of the job; default: made from the command and the time.")] = "",
    follow_log: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Show the log, and end with the command's exit code.")
    ] = True,
) -> None:
    """Run `curate` or `train` as a job on a Ray cluster; the same command resumes.

    The cluster's nodes need the same version of winnow, or --wheel. Ctrl-C leaves the job running.
    """
    from cluster import entry, jobs, package

    wheels = [path.absolute() for path in wheel or ()]
    with contextlib.chdir(working_dir) if working_dir else contextlib.nullcontext(), tempfile.TemporaryDirectory() as t:
        parsed = _parsed(context, command)
        files = _checked(parsed)
        folder = package.folder_files(Path()) if working_dir is not None else {}
        package.write_package(Path(t, "job.zip"), {**folder, **files, **jobs.ENTRY_FILES}, wheels)
        client = jobs.connect(address)
        expected = "" if any(path.name.startswith(f"{WHEEL}-") for path in wheels) else entry.identity()
        job = job or jobs.new_id(command[0])
        try:
            jobs.submit(client, Path(t, "job.zip"), expected, _arguments(parsed), job)
        except (SystemExit, KeyboardInterrupt) as end:
            raise StopSignal(render.perhaps_sent(job, address)) from end
    if follow_log:
        say(err, f"job {plain(job)}")
        _follow(client, job)
    say(out, plain(job))
    say(err, f"[dim]{render.where_to_go_on(job, address)}[/dim]")


@app.command()
def follow(job: JobId, address: Address = URL) -> None:
    """Show a job's log from its beginning until it ends, and exit with the job's exit code."""
    from cluster import jobs

    _follow(jobs.connect(address), job)


@app.command()
def cancel(job: JobId, address: Address = URL) -> None:
    """Stop a job; submitting the same command again resumes it."""
    from cluster import jobs

    ended = jobs.cancel(jobs.connect(address), job)
    say(err, f"{plain(job)}: " + ("cancelled; the same command resumes" if ended else "had ended already"))


@app.command("list")
def list_jobs(address: Address = URL, as_json: Json = False) -> None:
    """List the jobs that winnow submitted and the cluster remembers."""
    from cluster import jobs

    answer(jobs.winnows(jobs.connect(address)), render.jobs, as_json=as_json)


def _follow(client: Any, job: str) -> NoReturn:
    from cluster import jobs

    try:
        code = jobs.follow(client, job, _write)
    except jobs.LostJobError as error:
        render.last_lines(err, error.lines)
        raise
    except (SystemExit, KeyboardInterrupt) as end:
        raise StopSignal(render.where_to_go_on(job, client.get_address())) from end
    sys.exit(code)


def _write(text: str) -> None:
    sys.stdout.write(coloured_lines(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def _parsed(context: typer.Context, command: list[str]) -> typer.Context:
    """The command to submit, read as `winnow` would read it."""
    group: Any = context.find_root().command
    if command[0] not in ("curate", "train"):
        raise UserError(f"{command[0]!r} cannot be submitted; submit `-- curate RECIPE …` or `-- train RECIPE …`")
    parsed: typer.Context = group.commands[command[0]].make_context(
        command[0], list(command[1:]), parent=context.find_root()
    )
    for name in ("address", "cpus", "inline"):
        source = parsed.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UserError(f"a job runs on the cluster that it is submitted to: leave --{name} of {command[0]} out")
    secret = next((argument for argument in command if masked(argument) != argument), None)
    if secret is not None:
        raise UserError(
            f"{secret} has credentials in it, which Ray would show to all who see the cluster; give them to its nodes"
        )
    return parsed


def _checked(parsed: typer.Context) -> dict[str, Path]:
    """The files that go with the job, by their names in it. Raises the errors of the command itself that can be known
    here, and UserError for paths that mean another place on the nodes."""
    from cluster import package

    values = parsed.params
    recipe = values["recipe"]
    files = dict[str, Path]()
    if "://" not in recipe and ("/" in recipe or recipe.endswith((".yaml", ".yml"))):
        path = PurePath(recipe)
        values["recipe"] = path.name if path.is_absolute() or ".." in path.parts else path.as_posix()
        files[values["recipe"]] = Path(recipe)
    _require_common(f"--output {values['output']}" if values["output"] else "--output", values["output"] or "")
    storage.check_run_folder(values["output"])
    if parsed.info_name == "train":
        api.read_train_config(recipe, values["overrides"] or ())
        for option, name in (("--data", "data"), ("--init", "init"), ("--from", "branch_from")):
            if values[name]:
                _require_common(f"{option} {values[name]}", values[name])
        return files
    allowed = {name: values[name] or () for name in ("allow_env", "allow_file")}
    read = api.read_recipe(recipe, values["inputs"] or (), **allowed)
    for chain in read.sources.values():
        for path in getattr(chain[0].components[0][1], "paths", ()):
            _require_common(f"the input {path}", path)
    _plan_here(read)
    names = [*package.asset_paths(read), *([read.removed] if read.removed else [])]
    return {**files, **package.travelling(names)}


def _require_common(argument: str, path: str) -> None:
    if "://" not in path and not path.startswith("/"):
        raise UserError(f"{argument}: give an absolute path that every node of the cluster sees, or a URI")
    if storage.in_store(path):
        check_scheme(path.partition("://")[0], here=False)


def _plan_here(recipe: "Recipe") -> None:
    """Raises RecipeError if the recipe cannot work, unless only a file is missing, which may be on the nodes."""
    from curation.engine.recipe.plan import build_plan

    try:
        build_plan(recipe)
    except RecipeError as error:
        said = str(error).removeprefix(recipe.document.name)  # an absolute path itself, of a shipped recipe too
        missing = [word.rstrip(":;,") for word in said.split() if word.startswith("/")]
        if not missing or Path(missing[0]).exists():
            raise
        say(err, f"[yellow]warning:[/] not checked here, but before work on the cluster: {plain(str(error))}")


def _arguments(parsed: typer.Context) -> list[str]:
    """The command as arguments again, with the recipe's name in the package."""
    arguments = [str(parsed.info_name)]
    for parameter in parsed.command.params:
        value = parsed.params.get(str(parameter.name))
        if value in (None, False, (), parameter.default) or parameter.name == "address":
            continue
        values = value if isinstance(value, list | tuple) else [value]
        if parameter.name == "recipe":
            name = str(value)
            arguments.append(f"./{name}" if name.endswith((".yaml", ".yml")) and "://" not in name else name)
        elif parameter.param_type_name == "argument":
            arguments += values
        elif value is True:
            arguments.append(parameter.opts[0])
        else:
            arguments += [part for each in values for part in (parameter.opts[0], str(each))]
    return arguments
