"""Formulas of every form through each extractor, and pages without any."""

import importlib.util
from typing import Any

import pytest

from curation.extract.etrafilatura import Etrafilatura
from curation.extract.formulas.page import with_formulas
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.formulas.formula_pages import PAGES
from tests.curation.extract.raw_pages import never, raw_pages

needs_etrafilatura = pytest.mark.skipif(
    importlib.util.find_spec("etrafilatura") is None,
    reason="etrafilatura is not installed; `make test-wheel` runs this where Python 3.12 is",
)
EXTRACTORS = [
    pytest.param(Resiliparse(), id="resiliparse"),
    pytest.param(Resiliparse(main_content=False), id="resiliparse, all text"),
    pytest.param(Trafilatura(), id="trafilatura"),
    pytest.param(Trafilatura(focus="precision"), id="trafilatura, precision"),
    pytest.param(Trafilatura(fast=True), id="trafilatura, fast"),
    pytest.param(Etrafilatura(), id="etrafilatura", marks=needs_etrafilatura),
    pytest.param(Etrafilatura(focus="precision"), id="etrafilatura, precision", marks=needs_etrafilatura),
    pytest.param(Etrafilatura(fast=True), id="etrafilatura, fast", marks=needs_etrafilatura),
]
WANTED = sum(len(page.formulas) for page in PAGES)


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_formulas_reach_the_text(extractor: Any) -> None:
    found = extractor.extract(raw_pages(*(page.body.encode() for page in PAGES)), {}, never)
    texts = found.column("text").to_pylist()
    signals = found.column("extract").to_pylist()
    kept = sum(formula in (text or "") for text, page in zip(texts, PAGES, strict=True) for formula in page.formulas)
    assert WANTED > 150
    assert kept >= 0.99 * WANTED
    assert [signal["formulas"] for signal in signals] == [len(page.formulas) for page in PAGES]
    assert not any("q=7" in (text or "") for text in texts), "a formula is there twice"


def test_dropped_formulas_are_not_looked_for() -> None:
    found = Resiliparse(math="drop").extract(raw_pages(PAGES[0].body.encode()), {}, never)
    assert found.column("extract")[0].as_py()["formulas"] is None
    assert PAGES[0].formulas[0] not in found.column("text")[0].as_py()


@pytest.mark.parametrize(
    "page",
    [
        b"<p>It costs $5 and $10, and \\(so on.</p>",
        b"<table><tr><td>MathJax</td><td>$5</td></tr><tr><td>katex</td><td>$10</td></tr></table>",
        b"<math><mi>x",
        b"",
    ],
    ids=["prices", "one table", "unclosed", "empty"],
)
def test_pages_without_formulas_stay_as_they_are(page: bytes) -> None:
    assert with_formulas(page) == (page, 0)
