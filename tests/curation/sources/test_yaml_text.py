"""YAML of names: it is read back as it was, on one line for each, and cannot control a terminal."""

import pytest
import yaml

from curation.sources.yaml_text import yaml_text

NAMES = [
    "a.jsonl",
    "straße",
    "a\nb",
    "\x1b[31m",
    "rtl\u202e",
    "\x85",
    "a: b # c",
    "'\"",
    "- x",
    "null",
    "*",
    r"caf\xe9",
]


@pytest.mark.parametrize("flow", [True, False])
@pytest.mark.parametrize("name", [*NAMES, "x y " * 1000], ids=lambda name: repr(name)[:20])
def test_names(name: str, flow: bool) -> None:
    value = {"jsonl": {"text": "body", "paths": [name, "b"]}}
    text = yaml_text(value, flow=flow)
    assert yaml.safe_load(text) == value
    assert text.replace("\n", "").isprintable()
    assert len(text.splitlines()) == (1 if flow else 5)
