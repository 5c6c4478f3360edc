"""Checks what commands print with `--json` against their schemas."""

import functools
from typing import Any

import click
import pytest

from pipelines.answers.answers import answer_schema


@functools.cache
def validator(command: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator(answer_schema(command))


def problems(command: str, answer: object) -> list[str]:
    """Place and message of what does not fit the command's schema."""
    return [f"{error.json_path}: {error.message[:300]}" for error in validator(command).iter_errors(answer)]


def check_answer(answer: object) -> None:
    """Of the command that is running, if there is one."""
    context = click.get_current_context(silent=True)
    _, _, command = context.command_path.partition(" ") if context else ("", "", "")
    if command:
        assert problems(command, answer) == [], f"winnow {command} --json does not fit its schema"
