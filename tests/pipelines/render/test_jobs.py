"""What a terminal shows of jobs."""

import io

from rich.console import Console

from cluster.jobs import SubmittedJob
from pipelines.render import jobs


def shown(*listed: SubmittedJob) -> str:
    console = Console(file=io.StringIO(), width=200)
    jobs.jobs(console, list(listed))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_a_line_for_each() -> None:
    text = shown(SubmittedJob("a-1", "running", "winnow curate demo", "2026-11-22T10:00:00+00:00", ""))
    assert "│ a-1 │ running │ 2026-11-22T10:00:00+00:00 │       │ winnow curate demo │" in text
    assert shown() == "no jobs\n"


def test_where_to_go_on() -> None:
    assert jobs.where_to_go_on("a b", "http://h:1") == (
        "the job goes on; follow it: winnow job follow 'a b' --address http://h:1; end it: winnow job cancel 'a b' "
        "--address http://h:1"
    )
