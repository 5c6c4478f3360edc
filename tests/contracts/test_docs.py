"""The pages in docs/ and the comments of shipped recipes name commands that parse and files that exist."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from pipelines.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
RECIPES = sorted((ROOT / "pipelines").glob("*/*.yaml"))
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?:benchmarks|cluster|demo|docs|pipelines|tests)/[\w./-]+")


def lines_of(page: Path) -> list[str]:
    """The shell lines of a page, continued ones joined; of a recipe, the comments that are indented commands."""
    if page in RECIPES:
        return [line.lstrip("# ") for line in page.read_text().splitlines() if re.match(r"# {3}winnow ", line)]
    text = "".join(BLOCK.findall(page.read_text())).replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def parse(words: list[str]) -> None:
    """Reads a command of winnow as the command line would; a job's own command too. Raises click's errors."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("winnow", words)
    while hasattr(command, "commands"):
        name, command, words = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, list(words), parent=context)
    if command.name == "submit":
        parse(list(context.params["command"]))


@pytest.mark.parametrize("page", [*PAGES, *RECIPES], ids=lambda page: page.name)
def test_command_lines_parse(page: Path) -> None:
    lines = [shlex.split(line, comments=True) for line in lines_of(page)]
    commands = [words[1:] for words in lines if words[0] == "winnow"]
    for words in commands:
        try:
            parse(words)
        except Exception as error:
            raise AssertionError(f"winnow {shlex.join(words)}: {error}") from error
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {words[1] for words in lines if words[0] == "make"} <= set(targets)


def test_comments_of_recipes_have_commands() -> None:
    assert {page.stem for page in RECIPES if lines_of(page)} == {"ccnet", "fineweb_edu", "llama3_mix"}


@pytest.mark.parametrize("page", [*PAGES, *RECIPES], ids=lambda page: page.name)
def test_commands_in_sentences_exist(page: Path) -> None:
    command: Any = typer.main.get_command(app)
    named = {code.split()[1] for code in INLINE.findall(page.read_text()) if re.match(r"winnow [a-z]", code)}
    assert named <= set(command.commands)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_exist(page: Path) -> None:
    named = {name for code in INLINE.findall(page.read_text()) for name in FILE.findall(code)}
    named |= {name for line in lines_of(page) for name in FILE.findall(line)}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_exist(page: Path) -> None:
    named = {name for code in INLINE.findall(page.read_text()) for name in re.findall(r"\btest_\w+", code)}
    files = list((ROOT / "tests").rglob("test_*.py"))
    known = {path.stem for path in files} | set(
        re.findall(r"^def (test_\w+)", "\n".join(path.read_text() for path in files), re.MULTILINE)
    )
    assert sorted(named - known) == []


def test_a_wrong_command_is_noticed() -> None:
    for words in (["curate"], ["plan", "demo", "--node", "3"], ["nonsense"], ["submit", "--", "curate", "--x"]):
        with pytest.raises(Exception, match=r"Missing|No such|Usage|unexpected"):
            parse(words)
