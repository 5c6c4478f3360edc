"""The hash of a function's code changes with what decides its answers, and with nothing else."""

import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from curation.core.code_hash import code_hash

BEFORE = """
import re

LIMIT = 3
WORDS = {"a", "b"}
PATTERN = re.compile("x+" + "z?" * 100 + "end")

def helper(text, most=2):
    return len(text) > most

def judge(text):
    return helper(text) and len(text) < LIMIT and PATTERN.search(text) and text in WORDS

class Rules:
    limit = 4

    def judge(self, text):
        return helper(text) or self.limit

def unrelated(text):
    return text
"""


def module(folder: Path, source: str, number: int) -> Any:
    path = folder / f"made_{number}.py"
    path.write_text(textwrap.dedent(source))
    made = ModuleType("made")
    exec(compile(path.read_text(), str(path), "exec"), made.__dict__)
    return made


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        pytest.param("text in WORDS", "text not in WORDS", {"judge"}, id="its own code"),
        pytest.param("most=2", "most=5", {"judge", "Rules"}, id="a default of what it calls"),
        pytest.param("> most", ">= most", {"judge", "Rules"}, id="what it calls"),
        pytest.param("LIMIT = 3", "LIMIT = 5", {"judge"}, id="a number of its file"),
        pytest.param('"x+"', '"y+"', {"judge"}, id="a pattern of its file"),
        pytest.param('"end"', '"END"', {"judge"}, id="the end of a long pattern"),
        pytest.param('{"a", "b"}', '{"a", "c"}', {"judge"}, id="a set of its file"),
        pytest.param('{"a", "b"}', '{"b", "a"}', set(), id="the order of a set"),
        pytest.param("limit = 4", "limit = 5", {"Rules"}, id="a value of the class"),
        pytest.param("or self.limit", "and self.limit", {"Rules"}, id="a method"),
        pytest.param("return text\n", "return 2\n", set(), id="another function"),
    ],
)
def test_what_changes_it(tmp_path: Path, old: str, new: str, changed: set[str]) -> None:
    before = module(tmp_path, BEFORE, 1)
    assert old in BEFORE
    after = module(tmp_path, BEFORE.replace(old, new), 2)
    names = ("judge", "Rules")
    assert {name for name in names if code_hash(getattr(before, name)) != code_hash(getattr(after, name))} == changed


def test_a_variable_of_the_function_around_it() -> None:
    def made(limit: int) -> Any:
        return lambda text: len(text) > limit

    assert code_hash(made(1)) == code_hash(made(1)) != code_hash(made(2))


def test_it_is_the_same_in_every_process_also_without_a_source() -> None:
    program = "from curation.core.code_hash import code_hash\nw = {'a', 'b', 'c'}\nprint(code_hash(lambda t: t in w))"
    hashes = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        hashes.add(done.stdout)
    assert len(hashes) == 1
