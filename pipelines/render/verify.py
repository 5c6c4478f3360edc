"""What `winnow verify` prints: a table of the stages, a line per problem, and what to delete to mend them."""

import shlex
from typing import TYPE_CHECKING

from rich.console import Console

from curation.account.card.text import counted
from pipelines.render.console import plain, say, table
from pipelines.render.tables import megabytes

if TYPE_CHECKING:
    from curation.account.verify.verify import Verification


def verification(console: Console, seen: "Verification") -> None:
    columns = ("stage", " units", " files", " MB", " without checksum", " problems")
    cells = [
        (
            stage.folder,
            f"{stage.units:,}",
            f"{stage.files:,}",
            megabytes(stage.bytes),
            f"{stage.without_checksum:,}" if stage.without_checksum else "",
            f"{stage.problems:,}" if stage.problems else "",
        )
        for stage in seen.stages
    ]
    console.print(table(columns, cells, whole_numbers=True, title=plain(seen.run), title_justify="left"))
    for problem in seen.problems:
        place = "/".join(name for name in (problem.stage, problem.file) if name)
        say(console, plain(f"{place}: {problem.what}" if place else problem.what))
    if not seen.problems:
        checked = "sizes, checksums and counts" if seen.deep else "sizes and counts (--deep reads the files too)"
        say(console, f"whole: {checked} are as recorded")
        return
    delete = dict.fromkeys(path for problem in seen.problems for path in problem.delete)
    if delete:
        say(console, "to have it made again, delete these, then run the same winnow curate:")
    for path in delete:
        say(console, plain(f"rm -r {shlex.quote(path)}"))
    say(console, counted(len(seen.problems), "problem"))
