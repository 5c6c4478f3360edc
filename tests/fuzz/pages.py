"""Targets: damaged web pages in what reads them: encodings, counts, declarations, and the parsers without a sandbox.

`etrafilatura` needs Python 3.12 and runs in the environment of `make test-wheel`.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from curation.extract.blocks.render import render
from curation.extract.blocks.scanner import scan
from curation.extract.charset import decode
from curation.extract.declared import declared
from curation.extract.formulas.page import with_formulas
from curation.extract.guard import guarded
from curation.extract.markup import count
from curation.extract.sandbox import parsers
from curation.extract.student.student_file import load
from tests.curation.extract.student.small_model import small_model
from tests.fuzz.child import Execution, Target
from tests.mutations import mutated

ARTICLE = "<article><h1>A town</h1>" + "<p>The people of the town have to read, é 中文.</p>" * 5 + "</article>"
PAGE = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page &amp; more</title>'
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252"><style>p {color: red}</style>'
    '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"></head><body class=x><nav><ul><li>Home'
    "<li>About</ul></nav><script>var a = '<p>';</script><!-- a comment -->" + ARTICLE + "<table><tr><td>1<td>2</table>"
    '<form><input value="x"><select><option>a</select></form>'
    '<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math><img class=tex alt="x^2"><i>\\(a<b\\) ≠</i>'
    '<script type="math/tex">z</script><span class="katex"><math alttext="y"></math></span><svg><circle r="1"/></svg>'
    "<pre>a\n b</pre></body></html>"
)
PAGES = [PAGE.encode(), PAGE.encode("utf-16"), PAGE.encode("cp1252", "replace"), ARTICLE.encode() * 20]
TYPES = [None, "text/html", "text/html; charset=utf-8", 'text/html; charset="shift_jis"', "text/html; charset=\x00"]
PILES = (b"<div>", b"<p ", b"<table><tr><td>", b"</p>", b"<li>", b"&#x", b"<a href='", b"<!--", b"<b a=1>x", b"\0")
CHOICES = {"focus": "balanced", "comments": False, "tables": True, "links": True, "formatting": True}


def declarations(_: Path) -> Execution:
    def execute(rng: random.Random) -> None:
        page = mutated(rng.choice(PAGES), rng)
        markup = decode(page, rng.choice(TYPES)).text.encode("utf-8", "replace")
        count(markup, max_nodes=100_000, max_depth=256, max_attributes=2000)
        declared(markup)
        guarded(with_formulas(markup)[0])

    return execute


def blocks(_: Path) -> Execution:
    """Scans, judges and renders pages; one in a hundred is a pile of the same piece."""
    student = load(small_model())

    def execute(rng: random.Random) -> None:
        page = mutated(rng.choice(PAGES), rng)
        if rng.random() < 0.01:
            at = rng.randrange(len(page) + 1)
            page = page[:at] + rng.choice(PILES) * rng.randint(1, 20_000) + page[at:]
        markup = decode(page, rng.choice(TYPES)).text.encode("utf-8", "replace")
        found = scan(markup, max_nodes=5_000, max_depth=60, max_attributes=50)
        assert ((judged := student.judge(found)) >= 0).all()
        assert (judged <= 1).all()
        render(found, np.ones(len(found.blocks), np.bool_)).decode()

    return execute


def parsing(make_parser: Callable[..., parsers.Parse], **options: Any) -> Callable[[Path], Execution]:
    """Parses pages; only what ends the process is wrong, because the sandbox counts what a parser raises."""

    def make(_: Path) -> Execution:
        parse = make_parser(**options)

        def execute(rng: random.Random) -> None:
            page = mutated(rng.choice(PAGES), rng).decode("utf-8", "replace").replace("\0", "")
            try:
                parse(page)
            except Exception:
                return

        return execute

    return make


TARGETS = {
    "declarations": Target(declarations, 40_000, 60),
    "blocks": Target(blocks, 100_000, 200),
    "resiliparse": Target(parsing(parsers.resiliparse), 40_000, 40),
    "trafilatura": Target(parsing(parsers.trafilatura, fast=False, min_fast_characters=0, **CHOICES), 5_000, 5),
    "etrafilatura": Target(parsing(parsers.etrafilatura, fast=False, **CHOICES), 20_000, 20),
}
