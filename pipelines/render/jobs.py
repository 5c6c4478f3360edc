"""What `winnow job` shows, and how to go on with a job."""

import shlex
from typing import TYPE_CHECKING

from rich.console import Console

from pipelines.render.console import say
from pipelines.render.tables import Column, view

if TYPE_CHECKING:
    from cluster.jobs import SubmittedJob


def jobs(console: Console, listed: "list[SubmittedJob]") -> None:
    if not listed:
        say(console, "no jobs")
        return
    console.print(view([Column(name) for name in ("id", "status", "started", "ended", "command")], listed))


def where_to_go_on(job: str, url: str) -> str:
    """The commands for a job that nobody follows."""
    arguments = shlex.join([job, "--address", url])
    return f"the job goes on; follow it: winnow job follow {arguments}; end it: winnow job cancel {arguments}"
