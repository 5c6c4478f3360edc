"""The pages in Markdown as their readers use them: fenced blocks in order, with what stands behind a fence's language.

    ```yaml file=mine.yaml     is written to that file before the blocks below it
    ```sh needs=cluster        needs what a test does not have: it is read, and not run

Blocks of `sh` and `python` are run; one of `yaml` is a recipe, or a part of one; one without a language is output.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
import yaml

from curation.engine.recipe.recipe import Recipe
from pipelines.api import read_recipe
from pipelines.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# What a block may need, and why no test has it.
NEEDS = {
    "cluster": "a Ray cluster, or an object store",
    "endpoint": "a language model behind an endpoint",
    "file": "the file of winnow that it stands in",
    "files": "files that the reader has",
    "install": "packages from a registry, or minutes of installation",
    "network": "a server on the network",
    "time": "minutes of training",
}
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STAGES = {"version": 1, "name": "part", "sources": {"web": [{"read": {"jsonl": {"paths": []}}}]}}


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: Path
    line: int  # of its fence, from 1
    language: str
    content: str
    file: str = ""
    needs: str = ""

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    def commands(self) -> list[str]:
        """The shell's commands, without comments; one may go over several lines."""
        found: list[str] = []
        begun = ""
        for line in self.content.splitlines():
            begun += line
            if line.endswith("\\"):
                begun = begun[:-1]
                continue
            try:
                words = shlex.split(begun, comments=True)
            except ValueError:  # within a quotation
                begun += "\n"
                continue
            if words:
                found.append(begun)
            begun = ""
        assert not begun, f"{self}: {begun!r} has no end"
        return found


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page in order."""
    text = page.read_text()
    found = []
    for fence in _FENCE.finditer(text):
        language, *words = fence[1].split() or [""]
        options = dict(word.split("=", 1) for word in words)
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page, line, language, fence[2], **options))
    return found


def recipe_of(block: Block) -> Recipe:
    """The recipe that a block of YAML is, or is a part of: a list of stages, or sections beside `sources`."""
    content: Any = yaml.safe_load(block.content)
    if isinstance(content, list):
        content = {**_STAGES, "sources": {"web": content}}
    return read_recipe({**_STAGES, **content})


def parse(words: list[str]) -> None:
    """Reads a command of winnow as the command line would; a job's own command too. Raises click's errors."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("winnow", words)
    while hasattr(command, "commands"):
        name, command, words = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, list(words), parent=context)
    if command.name == "submit":
        parse(list(context.params["command"]))
