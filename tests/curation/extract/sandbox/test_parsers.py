"""What a child process loads before its first page."""

import importlib.util
import subprocess
import sys

import pytest

_CHECK = """
import sys
import curation.extract.sandbox.child
from curation.extract.sandbox import parsers
heavy = {"pyarrow", "numpy", "numba", "resiliparse", "trafilatura", "etrafilatura", "lxml", "chardet"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
parse = getattr(parsers, sys.argv[1])(**eval(sys.argv[2]))
assert not {"pyarrow", "numba", *sys.argv[3:]} & set(sys.modules)
"""
_RESILIPARSE = dict.fromkeys(("main_content", "alt_texts", "links", "list_bullets", "form_fields", "comments"), True)
_ETRAFILATURA = {**dict.fromkeys(("fast", "comments", "tables", "links", "formatting"), True), "focus": "recall"}
_TRAFILATURA = {**_ETRAFILATURA, "min_fast_characters": 500}


@pytest.mark.parametrize(
    ("name", "options", "other"),
    [
        ("resiliparse", _RESILIPARSE, "trafilatura"),
        ("trafilatura", _TRAFILATURA, "resiliparse"),
        pytest.param(
            *("etrafilatura", _ETRAFILATURA, "trafilatura"),
            marks=pytest.mark.skipif(importlib.util.find_spec("etrafilatura") is None, reason="not installed here"),
        ),
    ],
)
def test_a_child_loads_its_own_library_only(name: str, options: dict[str, object], other: str) -> None:
    subprocess.run([sys.executable, "-c", _CHECK, name, repr(options), other], check=True, timeout=120)
