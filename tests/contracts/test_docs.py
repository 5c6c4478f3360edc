"""Pages and comments of shipped recipes name commands that parse, recipes that can be read, and files that exist.

`tests/end_to_end/test_pages.py` runs what stands on the pages.
"""

import ast
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from curation.core import catalog
from curation.core.verbs import VERBS
from curation.models.evalsets.sets import EvalSet
from curation.sources.layouts import LAYOUTS
from pipelines.cli import app
from tests.pages import NEEDS, PAGES, ROOT, Block, blocks, parse, recipe_of
from training.config.parse import load

RECIPES = sorted((ROOT / "pipelines").glob("*/*.yaml"))
BLOCKS = [block for page in PAGES for block in blocks(page)]
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(#[^)\s]*)?\)")
FILE = re.compile(r"(?:benchmarks|cluster|curation|demo|docs|pipelines|tests|training)/[\w./-]+")
EXAMPLE = re.compile(r"^```\w+ file=(\S+)$", re.MULTILINE)


def of(language: str) -> list[Any]:
    return [pytest.param(block, id=str(block)) for block in BLOCKS if block.language == language]


def comment_lines(recipe: Path) -> list[str]:
    """The comments of a recipe that are indented commands."""
    return [line.lstrip("# ") for line in recipe.read_text().splitlines() if re.match(r"# {3}winnow ", line)]


def commands(page: Path) -> list[list[str]]:
    """Words of the commands of winnow and make that a page or a recipe shows."""
    lines = comment_lines(page) if page in RECIPES else []
    lines += [one for block in BLOCKS if block.page == page and block.language == "sh" for one in block.commands()]
    words = [shlex.split(line, comments=True) for line in lines]
    return [one[: one.index(">")] if ">" in one else one for one in words if one[0] in ("winnow", "make")]


@pytest.mark.parametrize("page", [*PAGES, *RECIPES], ids=lambda page: page.name)
def test_command_lines_parse(page: Path) -> None:
    for words in commands(page):
        try:
            if words[0] == "winnow":
                parse(words[1:])
        except Exception as error:
            raise AssertionError(f"{shlex.join(words)}: {error}") from error
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {words[1] for words in commands(page) if words[0] == "make"} <= set(targets)


def test_comments_of_recipes_have_commands() -> None:
    assert {page.stem for page in RECIPES if comment_lines(page)} == {
        *("books_wiki_code_web", "ccnet", "dolma_mix", "fineweb_edu", "llama3_mix", "math")
    }


@pytest.mark.parametrize("page", [*PAGES, *RECIPES], ids=lambda page: page.name)
def test_commands_in_sentences_exist(page: Path) -> None:
    command: Any = typer.main.get_command(app)
    named = {code.split()[1] for code in INLINE.findall(page.read_text()) if re.match(r"winnow [a-z]", code)}
    assert named <= set(command.commands)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_files_exist(page: Path) -> None:
    text = page.read_text()
    for target, anchor in LINK.findall(text):
        if "://" in target:
            continue
        linked = (page.parent / target) if target else page
        assert linked.exists(), target
        titles = re.findall(r"^#+ (.+)$", linked.read_text(), re.MULTILINE) if anchor else []
        assert not anchor or anchor[1:] in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in titles}
    named = {name for code in INLINE.findall(text) for name in FILE.findall(code)}
    made = {name for example in EXAMPLE.findall(text) for name in (example, str(Path(example).parent))}
    assert [name for name in sorted(named - made) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_exist(page: Path) -> None:
    named = {name for code in INLINE.findall(page.read_text()) for name in re.findall(r"\btest_\w+", code)}
    files = list((ROOT / "tests").rglob("test_*.py"))
    known = {path.stem for path in files} | set(
        re.findall(r"^def (test_\w+)", "\n".join(path.read_text() for path in files), re.MULTILINE)
    )
    made = {Path(example).stem for example in EXAMPLE.findall(page.read_text())}
    assert sorted(named - known - made) == []


def test_what_a_fence_says_is_known() -> None:
    assert {block.needs for block in BLOCKS} <= {"", *NEEDS}
    assert {block.language for block in BLOCKS} <= {"", "sh", "python", "yaml", "toml", "json", "jsonl"}


@pytest.mark.parametrize("block", of("yaml"))
def test_a_recipe_or_a_part_of_one_can_be_read(block: Block) -> None:
    content = yaml.safe_load(block.content)
    if isinstance(content, dict) and {"optimizer", "steps"} & content.keys():
        load(block.content, str(block))
    else:
        assert recipe_of(block).sources


@pytest.mark.parametrize("block", of("python"))
def test_python_parses(block: Block) -> None:
    assert ast.parse(block.content).body


def test_every_page_is_reached_from_the_readme() -> None:
    linked = {target for target, _ in LINK.findall((ROOT / "README.md").read_text())}
    assert {str(page.relative_to(ROOT)) for page in PAGES} - linked == {"README.md"}


def test_the_table_of_components_is_complete() -> None:
    text = (ROOT / "docs" / "recipes.md").read_text()
    rows = dict(re.findall(r"^\| (\w+) \| (.+) \|$", text, re.MULTILINE))
    for verb in (verb for verb in VERBS.values() if not verb.only):
        missing = set(catalog.known(verb)) - set(INLINE.findall(rows[verb.name]))
        assert not missing, f"docs/recipes.md, row {verb.name} of its table: add {', '.join(sorted(missing))}"


def test_every_field_of_an_evaluation_set_is_told() -> None:
    told = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "evaluation_sets.md").read_text(), re.MULTILINE)
    assert told == list(EvalSet.__dataclass_fields__)


def test_a_wrong_command_is_noticed() -> None:
    for words in (["curate"], ["plan", "demo", "--node", "3"], ["nonsense"], ["submit", "--", "curate", "--x"]):
        with pytest.raises(Exception, match=r"Missing|No such|Usage|unexpected"):
            parse(words)


def test_the_table_of_ready_corpora_is_that_of_their_layouts() -> None:
    text = (ROOT / "docs" / "sources.md").read_text()
    told = {
        name: [cell.replace("–", "") for cell in cells]
        for name, *cells in re.findall(
            r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| ([^|]+) \| (rows|publisher|no) \| ([^|]+) \| ([^|]+) \|",
            text,
            re.MULTILINE,
        )
    }
    assert told == {
        name: [
            ", ".join(field for field in layout.fields if field != "text"),
            layout.verified or "no",
            layout.version,
            layout.licence + (", gated" if layout.gated else ""),
        ]
        for name, layout in LAYOUTS.items()
    }
