"""Which files of a paper are its main ones, by name, by what they hold, and by what arXiv is told."""

import pytest

from curation.sources.documents.latex.paper_files import PaperFiles, may_be_read

CLASS = r"\documentclass[a4]{article}"
WHOLE = rf"{CLASS}\begin{{document}}\end{{document}}"


@pytest.mark.parametrize(
    ("texts", "others", "main"),
    [
        pytest.param({"a.tex": "\\section{a}", "b.tex": WHOLE}, [], ["b.tex"], id="a class"),
        pytest.param({"a.tex": f"% {CLASS}\n\\x", "b.tex": r"\documentstyle{a}"}, [], ["b.tex"], id="an old class"),
        pytest.param({"a.tex": CLASS, "b.tex": WHOLE}, [], ["b.tex"], id="a document"),
        pytest.param({"a.tex": WHOLE, "b.tex": WHOLE + r"\input{a}"}, [], ["b.tex"], id="no input"),
        pytest.param({"a.tex": r"\documentclass[b]{subfiles}", "b.tex": WHOLE}, [], ["b.tex"], id="no part"),
        pytest.param({"a/a.tex": WHOLE, "b.tex": WHOLE}, [], ["b.tex"], id="less deep"),
        pytest.param({"a.tex": WHOLE, "b.tex": WHOLE}, ["b.bbl"], ["b.tex"], id="a bibliography"),
        pytest.param({"ms.tex": WHOLE, "p/z.tex": WHOLE + "x" * 999}, [], ["p/z.tex"], id="no tenth of the longest"),
        pytest.param({"a.tex": CLASS, "b.tex": CLASS + r"\begin {document}"}, [], ["b.tex"], id="a blank"),
        pytest.param({"a.tex": WHOLE, "ms.tex": WHOLE}, [], ["ms.tex"], id="a usual name"),
        pytest.param({"b.tex": WHOLE, "a.tex": WHOLE}, [], ["a.tex"], id="the first"),
        pytest.param({"a.tex": "%auto-ignore\n" + WHOLE, "b.tex": WHOLE}, [], ["b.tex"], id="not ignored"),
        pytest.param({"a.tex": r"\hsize=1in", "b.tex": r"\magnification=1200 \bye"}, [], ["b.tex"], id="before LaTeX"),
        pytest.param({"a.txt": "words"}, [], [], id="no TeX"),
        pytest.param(
            {"scratch.tex": WHOLE, "z.tex": rf"{CLASS}\input{{z1}}\end{{document}}", "z1.tex": r"\begin{document}"},
            [],
            ["z.tex"],
            id="it has inputs, which have the document",
        ),
        pytest.param({"a.tex": WHOLE, "b.tex": rf"{WHOLE}\input{{c}}", "c.tex": r"\x"}, [], ["b.tex"], id="inputs"),
        pytest.param(
            {"a.tex": rf"{WHOLE}%\input{{c}}", "c.tex": r"\x", "b.tex": WHOLE + "x" * 20}, [], ["b.tex"], id="long"
        ),
        pytest.param(
            {"a.tex": CLASS, "z.tex": r"\input{a}\begin{document}"}, [], ["z.tex"], id="the class in an input"
        ),
        pytest.param(
            {"a.tex": rf"{WHOLE}", "b.tex": rf"{WHOLE}\import{{p/}}{{c}}", "p/c.tex": r"\x"}, [], ["b.tex"], id="import"
        ),
        pytest.param(
            {"macros.tex": r"\def\xx{}" * 9, "p.tex": r"\input macros \bye"}, [], ["p.tex"], id="before LaTeX, an input"
        ),
        pytest.param({"a.tex": WHOLE, "b.tex": WHOLE, "00README.XXX": "a.tex ignore\n"}, [], ["b.tex"], id="ignored"),
        pytest.param(
            {"a.tex": WHOLE, "b.tex": WHOLE, "00README.XXX": "b.tex toplevelfile\r\na.tex toplevelfile\r\n"},
            [],
            ["b.tex", "a.tex"],
            id="several",
        ),
        pytest.param(
            {
                "a.tex": WHOLE,
                "b.tex": WHOLE,
                "00README.json": '{"sources": [{"filename": "b.tex", "usage": "toplevel"}, {"filename": "c"}]}',
            },
            [],
            ["b.tex"],
            id="JSON",
        ),
        pytest.param({"a.tex": WHOLE, "00README.json": '{"sources": 7}'}, [], ["a.tex"], id="other JSON"),
        pytest.param({"a.tex": WHOLE, "00README.json": "[" * 10**5}, [], ["a.tex"], id="deep JSON"),
    ],
)
def test_main_files(texts: dict[str, str], others: list[str], main: list[str]) -> None:
    assert PaperFiles(texts, frozenset(others)).main == main


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("a.tex", True),
        ("a/b.STY", True),
        ("paper", True),
        ("00README.json", True),
        ("a.eps", False),
        ("anc/a.tex", False),
    ],
)
def test_names_of_files_that_may_be_read(name: str, may: bool) -> None:
    assert may_be_read(name) == may
