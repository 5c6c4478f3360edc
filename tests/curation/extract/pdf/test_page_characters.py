"""Accents that are characters of their own, as TeX draws them over letters."""

import pytest

from tests.curation.pdf_files import shown

pytest.importorskip("pypdfium2")

from tests.curation.extract.pdf.read_here import text


def over(before: str, accent: str, back: int, after: str) -> bytes:
    """An accent and, drawn over it, what comes after; `back` in thousandths of the letters' size."""
    return f"BT /F 10 Tf 72 700 Td [({before}{accent}) {back} ({after})] TJ ET".encode("cp1252")


@pytest.mark.parametrize(
    ("page", "found"),
    [
        pytest.param(over("na", "\xa8", 333, "ive, it is said"), "na\xefve, it is said", id="diaeresis"),
        pytest.param(over("caf", "\xb4", 389, "e by the sea"), "caf\xe9 by the sea", id="acute"),
        pytest.param(over("gar", "\xb8", 389, "con of the inn"), "gar\xe7on of the inn", id="cedilla"),
        pytest.param(shown((72, 700, "a \xb4 sign alone")), "a \xb4 sign alone", id="an accent beside letters"),
        pytest.param(shown((72, 700, "x^2 and ~5 `so`")), "x^2 and ~5 `so`", id="signs of programs"),
    ],
)
def test_accents(page: bytes, found: str) -> None:
    assert text(page) == found
