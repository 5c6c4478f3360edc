"""What is shown of a run's progress: bars on a terminal, lines of the log without one."""

import io
import logging
import re

import pytest
from rich.console import Console

from curation.core.progress import Progress
from pipelines.render.progress import StageProgress, TrainProgress, figures, logged

NOW = Progress("gopher", "filter", 3, 12, 2000, 10.0, kept=500, text_bytes=50_000_000, errors=1, retries=2)


def test_figures_of_a_bar() -> None:
    assert figures(NOW) == "200 docs/s · 5.0 MB/s · 25.0 % kept · 1 error · 2 retries"
    assert figures(Progress("dedup", "collide", 1, 4)) == ""


def test_bars_on_a_terminal() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=160)
    with StageProgress(console) as bars:
        bars.update(NOW)
        bars.update(Progress("gopher", "note", note="unit 1 [x] is slow"))
    text = re.sub("\x1b\\[[^A-Za-z]*[A-Za-z]", "", console.file.getvalue())  # type: ignore[attr-defined]
    assert "gopher: filter" in text
    assert "3/12 200 docs/s · 5.0 MB/s · 25.0 % kept · 1 error · 2 retries" in text
    assert "gopher: unit 1 [x] is slow" in text


def test_without_a_terminal_the_log_is_all() -> None:
    console = Console(file=io.StringIO())
    log = logging.getLogger("curation.engine.driver.reports")
    with logged(console), StageProgress(console) as bars:
        bars.update(NOW)
        log.info(NOW.line())
    log.info("not here")
    (line,) = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} " + re.escape(NOW.line()), line)


def test_on_a_terminal_the_log_has_what_the_bars_do_not_show() -> None:
    console = Console(file=io.StringIO(), force_terminal=True)
    with logged(console):
        logging.getLogger("curation.engine.driver.reports").warning("unit 1 is slow")
        logging.getLogger("curation.engine.executor.on_ray").info("starting Ray on [this] machine")
    assert console.file.getvalue() == "starting Ray on [this] machine\n"  # type: ignore[attr-defined]


def test_steps_of_a_training() -> None:
    console = Console(file=io.StringIO(), width=100)
    with TrainProgress(console) as bars:
        bars.update({"kind": "step", "step": 3, "steps": 10, "loss": 2.5, "tokens_per_second": 1234.0})
        bars.update({"kind": "validation", "loss": 2.5})
    assert console.file.getvalue() == "step 3 of 10: loss 2.500, 1,234 tokens/s\n"  # type: ignore[attr-defined]


def test_what_a_watch_tells_is_shown() -> None:
    console = Console(file=io.StringIO(), width=100)
    with TrainProgress(console) as bars:
        bars.update({"kind": "spike", "step": 35, "steps": 48, "line": "the loss jumped to 9.5 [x]"})
    assert console.file.getvalue() == "step 35: the loss jumped to 9.5 [x]\n"  # type: ignore[attr-defined]


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_training_does_before_its_first_step(terminal: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    log = logging.getLogger("training.job")
    with logged(console), TrainProgress(console) as bars:
        log.info("starting %d training workers [x]", 2)
        bars.update({"kind": "start", "step": 0, "steps": 9, "workers": 2, "next_line": 9})
    log.info("not here")
    text = re.sub("\x1b\\[[^A-Za-z]*[A-Za-z]", "", console.file.getvalue())  # type: ignore[attr-defined]
    lines = [re.sub(r"^[-\d]{10} [:,\d]{12} ", "", line.strip()) for line in text.splitlines() if line.strip()]
    assert lines == [
        "starting 2 training workers [x]",
        "training from the beginning on 2 workers; the next figures come after step 9",
    ]
