"""Every page runs from top to bottom: its files are written, its commands and its Python run, in a folder that holds
what `make curate` and `make train` leave, on a smaller crawl and with fewer steps. Nothing starts Ray."""

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from demo.crawl import make_crawl
from tests.pages import PAGES, Block, blocks
from tests.runs import ENVIRONMENT, winnow_here
from training.config.parse import parse

RUN = [page for page in PAGES if page.name != "CONTRIBUTING.md"]  # whose examples test_contributing.py follows
SHELL = re.compile(r"[|&;<>$`]|/\*/")
TOOLS = str(Path(sys.executable).parent)


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs/demo-crawl, runs/demo and runs/demo-model, shared by all of pytest's workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demonstration"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "finished").exists():
            shutil.rmtree(folder, ignore_errors=True)
            make_crawl(folder / "runs/demo-crawl", packages=("click", "rich"), projects=False, archives=2, processes=1)
            run_sh("winnow curate demo --input 'runs/demo-crawl/*.warc.gz' --output runs/demo", folder)
            train(folder)
            (folder / "finished").touch()
    return folder


def train(folder: Path) -> None:
    from training.start import train  # seconds of imports

    few = {"steps": 6, "batch_rows": 2, "checkpoint_every": 3, "validation_rows": 4}
    train(
        parse({**few, "schedule": {"cosine": {"warmup_steps": 2}}}),
        str(folder / "runs/demo"),
        str(folder / "runs/demo-model"),
    )


def run_sh(command: str, folder: Path) -> None:
    """Runs one command of a page: winnow's in this process, without Ray, and what make does is there already."""
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        assert words in (["make", "curate"], ["make", "train"], ["make", "test"]), command
        return
    if words[0] == "winnow" and not SHELL.search(re.sub(r"'[^']*'", "", command)):
        inline = ["--inline"] if words[1] == "curate" and "--inline" not in words else []
        before = Path.cwd()
        os.chdir(folder)
        try:
            done = winnow_here(*words[1:], *inline)
        finally:
            os.chdir(before)
    else:
        environment = {**ENVIRONMENT, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
        script = ["bash", "-euo", "pipefail", "-c", command]
        done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def run_python(block: Block, names: dict[str, object], folder: Path) -> None:
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(compile("\n" * block.line + block.content, str(block.page), "exec"), names)
    finally:
        os.chdir(before)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_a_page_runs_from_top_to_bottom(page: Path, demonstration: Path, tmp_path: Path) -> None:
    shutil.copytree(demonstration, tmp_path, dirs_exist_ok=True)
    for record in (tmp_path / "runs/demo-model").glob("*.json"):  # which run the model has learnt from
        record.write_text(record.read_text().replace(str(demonstration), str(tmp_path)))
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.content)
        elif block.language == "sh" and not block.needs:
            for command in block.commands():
                run_sh(command, tmp_path)
        elif block.language == "python" and not block.needs:
            run_python(block, names, tmp_path)
