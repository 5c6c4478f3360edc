"""What `winnow annotate` prints: scores by source and stratum, what went wrong, and what it cost."""

from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console

from curation.core.wording import counted
from pipelines.render.console import plain, say
from pipelines.render.tables import Column, counts, view

if TYPE_CHECKING:  # slow to import
    from curation.account.annotate.annotate import Annotations, Cell


def annotations(console: Console, result: "Annotations") -> None:
    scores = sorted({score for cell in result.cells for score in cell.scores})
    by_score = (Column(f"score {score}", partial(_scored, score), ",") for score in scores)
    columns = (Column("source"), Column("stratum"), *counts("available", "sampled"), *by_score, *counts("unscored"))
    console.print(view(columns, result.cells, whole_numbers=True))
    for why, count in result.unscored.items():
        say(console, f"{count:>10,}  unscored: {plain(why)}")
    for cause, count in result.retries.items():
        say(console, f"{count:>10,}  retried: {plain(cause)}")
    if result.malformed:
        say(console, f"{counted(result.malformed, 'answer')} had no score; each is asked for once more")
    if result.torn_lines:
        say(console, f"{counted(result.torn_lines, 'line')} of {plain(result.cache)} could not be read")
    stored = f", {result.cached:,} of stored answers" if result.cached else ""
    say(
        console,
        f"{counted(result.requests, 'request')}{stored}; {result.prompt_tokens:,} prompt tokens and "
        f"{result.completion_tokens:,} answer tokens in {result.seconds:.1f} s{_cost(result)}",
    )
    if result.not_asked:
        left_out = counted(result.not_asked, "document")
        say(console, f"[yellow]stopped below --max-cost {result.max_cost:g}:[/] {left_out} not asked about")
    say(
        console,
        f"{counted(result.scored, 'score')} in {plain(result.output)}; the answers are in {plain(result.cache)}, and "
        "are not paid for again",
    )


def _scored(score: int, cell: "Cell") -> int:
    return cell.scores.get(score, 0)


def _cost(result: "Annotations") -> str:
    if result.paid is None:
        return ""
    uncertain = f", and up to {result.uncertain:.4f} for requests without usage" if result.uncertain else ""
    before = f", after {result.paid_before:.4f} for the stored answers" if result.paid_before else ""
    return f"; spent {result.paid:.4f}{uncertain}{before}"
