"""What a child process loads before its first page."""

import subprocess
import sys

import pytest

_CHECK = """
import sys
import curation.extract.child
from curation.extract import parsers
heavy = {"pyarrow", "numpy", "numba", "resiliparse", "trafilatura", "lxml", "chardet"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
parse = getattr(parsers, sys.argv[1])(**eval(sys.argv[2]))
assert not {"pyarrow", "numba", *sys.argv[3:]} & set(sys.modules)
"""
_RESILIPARSE = dict.fromkeys(("main_content", "alt_texts", "links", "list_bullets", "form_fields", "comments"), True)
_TRAFILATURA = {
    **dict.fromkeys(("fast", "comments", "tables", "links", "formatting"), True),
    "min_fast_characters": 500,
    "focus": "recall",
}


@pytest.mark.parametrize(
    ("name", "options", "other"),
    [("resiliparse", _RESILIPARSE, "trafilatura"), ("trafilatura", _TRAFILATURA, "resiliparse")],
)
def test_a_child_loads_its_own_library_only(name: str, options: dict[str, object], other: str) -> None:
    subprocess.run([sys.executable, "-c", _CHECK, name, repr(options), other], check=True, timeout=120)
