"""Each rule at its limit, and one step past it."""

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError
from curation.extract.pdfium import Pdfium
from curation.extract.resiliparse import Resiliparse
from curation.filters.page_prose import LEAST, PageProse
from tests.support import documents, verdict

MENU = "Home\nSign in\nPassword\n"


def prose(size: int) -> str:
    """One line of prose of so many bytes."""
    return "x" * (size - 1) + "."


@pytest.mark.parametrize(
    ("text", "fields", "reason"),
    [
        pytest.param(prose(300), 0, None, id="300 bytes of prose"),
        pytest.param(prose(299), 0, "prose_bytes:low", id="299 bytes of prose"),
        pytest.param(MENU * 100, 0, "prose_bytes:low", id="no line of prose"),
        pytest.param("文" * 99 + "。", 0, None, id="a third of the characters in scripts of three bytes"),
        pytest.param(MENU + prose(1000), 50, None, id="50 fields beside 1,000 bytes"),
        pytest.param(MENU + prose(1000), 51, "fields_per_prose:high", id="51 fields beside 1,000 bytes"),
    ],
)
def test_limit(text: str, fields: int, reason: str | None) -> None:
    assert verdict(PageProse(), text, extract={"fields": fields}) == reason


def test_fields_are_related_to_some_bytes_at_least() -> None:
    batch = documents("", None, "Menu", extract=[{"fields": 3}, {"fields": 0}, None])
    measured = PageProse().measure(batch)
    assert measured["prose_bytes"].to_pylist() == [0, 0, 0]
    assert measured["fields_per_prose"].to_pylist() == [3 / LEAST * 1000, 0, None]


def test_lines_of_prose_are_counted_with_the_breaks_between_them() -> None:
    batch = documents(f"{prose(100)}\n{MENU}{prose(50)}", extract=pa.array([{"fields": 0}]).to_pylist())
    assert PageProse().measure(batch)["prose_bytes"].to_pylist() == [151]


def test_pdf_files_are_refused_before_anything_runs() -> None:
    schema = Resiliparse().schema()
    PageProse().check_columns(dict(zip(schema.names, schema.types, strict=True)))
    schema = Pdfium().schema()
    with pytest.raises(RecipeError, match="page_prose judges web pages"):
        PageProse().check_columns(dict(zip(schema.names, schema.types, strict=True)))
