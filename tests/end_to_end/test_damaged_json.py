"""Whatever the JSON of a run or of a training has become, every command that reads it gives its answer or one line."""

import shutil
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from curation.account.lineage.blame import blame
from curation.account.lineage.requests import read_request
from curation.account.lineage.trace import trace
from curation.account.lineage.trainings import trainings_on
from curation.account.run import Run
from curation.account.sql import Views
from curation.account.status import status
from curation.core.errors import WinnowError
from pipelines import api
from pipelines.release.release import ReleaseAbout, _facts, _result
from pipelines.release.takedowns import origin, refuse_taken_down
from pipelines.report.report import write_report
from pipelines.takedown import preview
from tests.damaged_json import damages, some
from tests.training.runs import TINY
from training.config.parse import parse
from training.evaluate.trained import TrainedRun
from training.metrics.curves import read_curves
from training.start import train

Call = Callable[[], object]
OF_RUN = ("run.json", "0*/_manifest.json", "08-*/index.json")
OF_TRAINING = ("config.json", "result.json", "metrics.jsonl", "energy.json", "checkpoints/step_8/_manifest.json")
QUICK = 8  # damages of a file, with so many commands each
COMMANDS = 3


@pytest.fixture(scope="module")
def folder(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the finished run, with a training on it."""
    own = tmp_path_factory.mktemp("damaged")
    shutil.copytree(finished_run, own, dirs_exist_ok=True)
    train(parse(TINY), str(own / "run"), str(own / "train"))
    return own


@pytest.fixture(scope="module")
def commands(folder: Path) -> Mapping[str, Call]:
    return {**_of_run(folder), **_of_training(folder)}


def _of_run(folder: Path) -> dict[str, Call]:
    run, training = str(folder / "run"), str(folder / "train")
    url = str(Run.open(run).show("tokenize", kept=True, limit=1)[0].url)
    (folder / "request.txt").write_text(f"{url}\n")

    def ask() -> None:
        with Views(Run.open(run)) as views:
            views.ask("select count(*) from gopher")

    return {
        "funnel": lambda: Run.open(run).funnel(),
        "why": lambda: Run.open(run).why(url=url, trainings=[training]),
        "status": lambda: status(run),
        "show": lambda: Run.open(run).show("gopher"),
        "files": lambda: Run.open(run).files(),
        "duplicates": lambda: Run.open(run).duplicates(),
        "tune": lambda: Run.open(run).tune(),
        "verify": lambda: Run.open(run).verify(),
        "card": lambda: Run.open(run).card(),
        "audit": lambda: Run.open(run).audit(),
        "sql": ask,
        "report": lambda: write_report(run, str(folder / "report.html"), trainings=[training]),
        "takedown": lambda: preview(run, read_request(str(folder / "request.txt"), "url"), [training]),
        "plan": lambda: api.plan(str(folder / "small.yaml"), run),
        "size": lambda: api.size(str(folder / "small.yaml"), run, nodes=2, cpus=4),
    }


def _of_training(folder: Path) -> dict[str, Call]:
    run, training = str(folder / "run"), str(folder / "train")

    def release() -> None:
        trained = TrainedRun.of(training)
        _facts(trained, _result(trained), "name", ReleaseAbout(), "tokenizer.json")
        refuse_taken_down(trained.folder, Run.open(run).token_data())
        origin(trained.folder)

    return {
        "trace": lambda: trace(training, 1),
        "blame": lambda: blame(training, 1),
        "curves": lambda: read_curves(training),
        "release": release,
        "evaluate": lambda: TrainedRun.of(training).load(8),
        "trainings": lambda: trainings_on(run, [training]),
        "train": lambda: train(parse(TINY), run, training),
    }


def _check(path: Path, content: bytes, calls: Mapping[str, Call], words: str) -> None:
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        problems = {name: problem for name, call in calls.items() if (problem := _problem(call))}
    finally:
        path.write_bytes(before)
    assert not problems, f"{path.name} {words}"


def _problem(call: Call) -> str:
    """An error of Python's, or one of several lines."""
    try:
        call()
    except WinnowError as error:
        return str(error) if "\n" in str(error) else ""
    except Exception as error:
        return "".join(traceback.format_exception(error))
    return ""


def _damaged(path: Path, count: int | None) -> Iterator[tuple[str, bytes]]:
    """Some of a file's damages or, for None, all; of a file of lines those of each line."""
    content = path.read_bytes()
    if path.suffix != ".jsonl":
        yield from damages(content) if count is None else some(content, count, path.name)
        return
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines):
        for words, new in damages(line) if count is None else some(line, 1, f"{number}"):
            yield f"line {number} {words}", b"".join([*lines[:number], new + b"\n", *lines[number + 1 :]])


def _files(folder: Path) -> list[Path]:
    of_run = [path for pattern in OF_RUN for path in sorted((folder / "run").glob(pattern))]
    return [*of_run, *(folder / "train" / name for name in OF_TRAINING)]


@pytest.mark.parametrize("number", range(15))
def test_some_damages_of_each_file(folder: Path, commands: Mapping[str, Call], number: int) -> None:
    path = _files(folder)[number]
    names = [*commands][:15] if "run" in path.relative_to(folder).parts[0] else [*commands][15:]
    for at, (words, content) in enumerate(_damaged(path, QUICK)):
        own = [names[(at * COMMANDS + step) % len(names)] for step in range(COMMANDS)]
        _check(path, content, {name: commands[name] for name in own}, words)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("number", range(15))
def test_all_damages_of_each_file(folder: Path, commands: Mapping[str, Call], number: int) -> None:
    path = _files(folder)[number]
    for words, content in _damaged(path, None):
        _check(path, content, commands, words)


def test_every_file_of_json_is_damaged_here(folder: Path) -> None:
    found = {path for top in ("run", "train") for path in (folder / top).rglob("*.json*")}
    others = {path for path in found if "tokenizer" in path.name or "step_6" in path.parts}
    assert sorted(found - others) == sorted(_files(folder))
