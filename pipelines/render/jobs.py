"""What `winnow job` shows, and how to go on with a job."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from pipelines.render.console import plain, say
from pipelines.render.tables import Column, view

if TYPE_CHECKING:
    from cluster.jobs import SubmittedJob


def jobs(console: Console, listed: "list[SubmittedJob]") -> None:
    if not listed:
        say(console, "no jobs")
        return
    console.print(view([Column(name) for name in ("id", "status", "started", "ended", "command")], listed))


def last_lines(console: Console, lines: Sequence[str]) -> None:
    """The end of the log of a job that was killed, without the colours that Ray gives its lines."""
    if lines:
        say(console, "the job's last lines:")
        for line in lines:
            say(console, f"    {plain(Text.from_ansi(line).plain)}")


def where_to_go_on(job: str, url: str) -> str:
    """The commands for a job that nobody follows."""
    arguments = shlex.join([job, "--address", url])
    return f"the job goes on; follow it: winnow job follow {arguments}; end it: winnow job cancel {arguments}"


def perhaps_sent(job: str, url: str) -> str:
    """Where to look for a job whose submission was interrupted."""
    arguments = shlex.join([job, "--address", url])
    return f"stopped; if the job was sent already, it goes on, and this ends it: winnow job cancel {arguments}"
