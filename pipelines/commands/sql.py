"""The command `winnow sql`: runs one query on a run's documents, or prompts for several."""

import csv
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Annotated, Any

import typer

from curation.account.run import Run
from curation.core.errors import UserError, WinnowError
from curation.core.printable import printable
from pipelines.commands.ask import RunFolder
from pipelines.render.console import Json, err, out, plain, print_json, say, table

SHOWN = 100  # rows of a table
CELL = 200  # characters of a cell in a table
PROMPT = "winnow> "
MORE = "   ...> "
HELP = "end a query with a semicolon; .tables lists the views, .exit or Ctrl-D leaves"

Answer = tuple[list[str], Iterator[dict[str, Any]]]


def sql(
    run: RunFolder,
    query: Annotated[
        str | None,
        typer.Argument(metavar="QUERY", help='DuckDB\'s SQL, e.g. "select url from gopher"; default: a prompt.'),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all rows as CSV, with a header.")] = False,
    as_json: Json = False,
) -> None:
    """Query a run in SQL (DuckDB): each stage is a view of its documents with all columns, text included."""
    from curation.account.sql import Views  # imports DuckDB

    if as_csv and as_json:
        raise UserError("give either --csv or --json")
    write = _write_csv if as_csv else _write_json if as_json else _draw
    with Views(Run.open(run)) as views:
        if query is not None:
            write(views.ask(query))
            return
        with suppress(ImportError):
            import readline  # noqa: F401 - lets the prompt edit lines and remember them
        say(err, HELP)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C discards a query
        for line in _lines():
            try:
                if line == ".tables":
                    sys.stdout.write("".join(f"{printable(name)}\n" for name in views.names))
                elif line.startswith("."):
                    raise UserError(f"no command {line}: {HELP}")
                else:
                    write(views.ask(line))
            except WinnowError as error:
                say(err, f"[bold red]error:[/] {plain(str(error))}")


def _lines() -> Iterator[str]:
    """Yields typed commands, and queries up to their semicolons. Ctrl-C discards a query, Ctrl-D ends the prompt."""
    waiting: list[str] = []
    while True:
        try:
            line = input((MORE if waiting else PROMPT) if sys.stdin.isatty() else "").strip()
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            waiting = []
            continue
        except EOFError:
            line = ""
            ended = True
        else:
            ended = line == ".exit" and not waiting
        if ended:
            if waiting:
                yield "\n".join(waiting)
            return
        waiting += [line] if line else []
        if waiting and (line.endswith(";") or waiting[0].startswith(".")):
            yield "\n".join(waiting)
            waiting = []


def _draw(answer: Answer) -> None:
    columns, rows = answer
    if columns:
        shown = list(islice(rows, SHOWN))
        heads = [plain(name) for name in columns]
        out.print(table(heads, ([_cell(row[name]) for name in columns] for row in shown)))
        if next(rows, None) is not None:
            say(err, f"the first {SHOWN} rows; --csv or --json print all")


def _cell(value: Any) -> str:
    text = "" if value is None else " ".join(str(value).split())
    return plain(text if len(text) <= CELL else text[: CELL - 1] + "…")


def _write_csv(answer: Answer) -> None:
    columns, rows = answer
    cell = _shown if sys.stdout.isatty() else _as_it_is
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(cell, columns))
    writer.writerows([cell(row[name]) for name in columns] for row in rows)


def _as_it_is(value: Any) -> Any:
    return value


def _shown(value: Any) -> Any:
    """A value for a terminal, which would obey control characters."""
    return value if value is None else printable(str(value), "\n")


def _write_json(answer: Answer) -> None:
    print_json(list(answer[1]))
