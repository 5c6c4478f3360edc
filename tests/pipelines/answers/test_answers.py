"""Each command with --json has a schema, which real answers fit; no answer has flags of the engine in it."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from curation.core.errors import UserError
from curation.core.verbs import READ
from docs.builder.json_page import page
from pipelines.answers.answers import ANSWERS, answer_schema
from pipelines.cli import app
from pipelines.render.console import json_values
from tests.answers import problems
from tests.runs import winnow_here

ROOT = Path(__file__).resolve().parents[3]


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word, one in getattr(command, "commands", {}).items():
        yield from commands(one, f"{name} {word}".strip())
    if not hasattr(command, "commands"):
        yield name, command


def test_every_command_with_json_has_a_schema() -> None:
    having = {
        name
        for name, one in commands(typer.main.get_command(app))
        if any(parameter.name == "as_json" for parameter in one.params)
    }
    assert having == set(ANSWERS)


@pytest.mark.parametrize("command", ANSWERS)
def test_a_schema_is_one_and_says_what_objects_are(command: str) -> None:
    schema = answer_schema(command)
    jsonschema.Draft202012Validator.check_schema(schema)
    defined = schema.get("$defs", {})
    assert [name for name, one in defined.items() if not one["description"] or name in one["description"][:40]] == []


# Commands on the run that all tests look into; the tests of the other commands check their answers in the same way.
REAL = (
    *("curate {recipe} --output {run}", "plan {recipe} --output {run}", "plan {recipe} --output new"),
    "plan {recipe} --like {run} --nodes 2 --cpus 8 --price 1",
    *("inspect {crawl}", "status {run}", "verify {run} --deep", "funnel {run}", "files {run}", "files {run} gopher"),
    *("show {run} gopher", "show {run} gopher --reason gopher_repetition", "duplicates {run}", "audit {run}"),
    *("tune {run}", "tune {run} --sigma 3 --by-language", "card {run} --output {new}"),
    *("list", "describe gopher_quality", "describe minhash", "describe steps", "describe name"),
    'sql {run} "select url, text from gopher limit 2"',
    *("export {run} --format parquet --output {new}/p", "export {run} --format megatron --output {new}/m"),
    *("tokenizer train {run} --vocab-size 300 --output {new}/t.json", "evalsets validation {run}"),
    "tokenizer inspect {run}/05-tokenizer-*/tokenizer.json --on {run}",
    'evalsets seen {run} --item "the ship and the harbour"',
    *("scaling optimum 1e21", "plan-training --published", "plan-training --devices"),
    "plan-training gpt2_124m model.decoder.vocabulary=50304 sequence_length=1024 --gpus 8 --device h100 --price 2",
)


@pytest.mark.parametrize("line", REAL)
def test_real_answers(finished_run: Path, tmp_path: Path, line: str) -> None:
    places = {
        "recipe": finished_run / "small.yaml",
        "run": finished_run / "run",
        "crawl": finished_run / "crawl" / "crawl-00.warc.gz",
        "new": tmp_path,
    }
    words = [word for part in shlex.split(line.format(**places)) for word in _expanded(part)]
    done = winnow_here(*words, "--json")
    assert done.returncode == 0, done.stderr
    names = sorted((name for name in ANSWERS if line.startswith(f"{name} ") or line == name), key=len)
    answer = json.loads(done.stdout)
    assert problems(names[-1], answer) == []
    assert not {"begins", "judges", "learns", "several", "room"} & set(_keys(answer))  # of the engine's verbs


def _expanded(word: str) -> list[str]:
    folder, star, rest = word.partition("*")
    if not star or " " in word:
        return [word]
    path = Path(folder)
    return [str(one) for one in path.parent.glob(f"{path.name}*{rest}")]


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _keys(one)


def test_what_does_not_fit_is_found() -> None:
    listed = json_values([{"verb": READ, "key": "warc", "sentence": "Reads.", "package": ""}])
    assert problems("list", listed) == []
    assert problems("list", [{**listed[0], "verb": {"name": "read", "begins": True}}]) != []
    assert problems("list", [{**listed[0], "flag": True}]) != []
    assert problems("list", [{"verb": "read"}]) != []


def test_on_the_command_line() -> None:
    assert json.loads(winnow_here("schema", "evalsets", "report").stdout) == answer_schema("evalsets report")
    assert "$schema" in json.loads(winnow_here("schema").stdout)
    assert winnow_here("schema", "fun").stderr == "error: no command 'fun' has --json; did you mean 'funnel'?\n"
    with pytest.raises(UserError):
        answer_schema("watch")


def test_the_page_is_made_from_the_schemas() -> None:
    """Make it again: python -m docs.builder.json_page > docs/json.md"""
    assert (ROOT / "docs" / "json.md").read_text() == page()
