"""Conditions in papers: which branch is read, what counts as a condition where TeX does not read, and open ones."""

from collections import Counter

import pytest

from curation.sources.documents.latex.conditions import MAX_OPEN
from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.plain_text import plain_text


def text(body: str, counts: Counter[str] | None = None) -> str:
    main = rf"\documentclass{{a}}\begin{{document}}{body}\end{{document}}"
    return plain_text(PaperFiles({"main.tex": main}), Counter() if counts is None else counts)


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        pytest.param(r"\ifdefined\x a\else b\fi", "b", id="not defined"),
        pytest.param(r"\def\x{}\ifdefined\x a\else b\fi", "a", id="defined"),
        pytest.param(r"\def\x{}\ifcsname x\endcsname a\else b\fi", "a", id="defined by name"),
        pytest.param(r"\def\x{}\ifx\x\undefined a\else b\fi", "b", id="not undefined"),
        pytest.param(r"\def\x{}\ifx\x\empty a\else b\fi", "a", id="empty"),
        pytest.param(r"\def\x{1}\def\y{1}\ifx\x\y a\else b\fi", "a", id="alike"),
        pytest.param(r"\def\x{}\@ifundefined{x}{a}{b}\@ifundefined{y}{c}{d}", "bc", id="undefined by name"),
        pytest.param(r"\if xy a\else b\fi", "b", id="characters"),
        pytest.param(r"\def\n{1}\if0\n a\else b\fi\if1\n c\else d\fi", "bc", id="a macro's character"),
        pytest.param(r"\def\n{2}\ifnum\n=1 a\else b\fi", "b", id="a macro's number"),
        pytest.param(r"\ifnum 3>2 a\else b\fi", "a", id="numbers"),
        pytest.param(r"\ifnum\value{page}=1 a\else b\fi", "a", id="a number that TeX knows"),
        pytest.param(r"\ifdim\hsize>10.5pt a\else b\fi", "a", id="lengths"),
        pytest.param(r"\ifcase 1 a\else b\fi", "b", id="cases"),
        pytest.param(r"\ifpdf a\else b\fi", "a", id="of TeX alone"),
        pytest.param(r"\newboolean{x}\ifthenelse{\boolean{x}}{a}{b}", "b", id="a boolean"),
        pytest.param(r"\newboolean{x}\setboolean{x}{true}\ifthenelse{\NOT\boolean{x}}{a}{b}", "b", id="denied"),
        pytest.param(r"\def\x{q}\ifthenelse{\equal{\x}{q}}{a}{b}", "a", id="equal"),
        pytest.param(r"\newtoggle{x}\iftoggle{x}{a}{b}\toggletrue{x}\iftoggle{x}{c}{d}", "bc", id="a toggle"),
        pytest.param(r"\@ifstar{a}{b}* \@ifnextchar[{c}{d}", "a d", id="the next character"),
        pytest.param(r"\@ifnextchar\bgroup{c}{d}{e}", "ce", id="the next group"),
    ],
)
def test_branches(tex: str, expected: str) -> None:
    assert text(tex) == expected


@pytest.mark.parametrize(
    "inside",
    [
        pytest.param(r"\newcommand{\iflong}[2]{#1}", id="defined"),
        pytest.param(r"\newcommand*\iflong[2]{#1}", id="defined with a star"),
        pytest.param(r"\def\iflong#1{#1}", id="by def"),
        pytest.param(r"\let\iflong\relax", id="by let"),
        pytest.param(r"\newif\iflong", id="a switch"),
        pytest.param(r"\iflong{a}{b}", id="used"),
        pytest.param(r"\ifthenelse{a}{b}{c}", id="of a package"),
        pytest.param(r"$a \iff b$", id="in a formula"),
    ],
)
def test_commands_that_are_no_conditions_where_nothing_is_read(inside: str) -> None:
    counts: Counter[str] = Counter()
    assert text(rf"\iffalse {inside} \fi Kept.", counts) == "Kept."
    assert not counts


@pytest.mark.parametrize("inside", [r"\ifx ab c\fi", r"\ifpdf c\fi", r"\newif\ifx \ifx c\fi", r"\if@draft c\fi"])
def test_conditions_where_nothing_is_read(inside: str) -> None:
    assert text(rf"\iffalse {inside} d\fi Kept.") == "Kept."


def test_own_macros_called_if_where_nothing_is_read() -> None:
    assert text(r"\newcommand{\iflong}[1]{#1}\iffalse \iflong a \fi Kept.") == "Kept."


def test_a_condition_without_an_end_hides_nothing() -> None:
    counts: Counter[str] = Counter()
    assert text(r"One. \iffalse Two. \ifx aa Three.", counts) == "One. Two. Three."
    assert dict(counts) == {"lenient.open_condition": 1}


def test_many_conditions_without_an_end_are_counted_to_a_limit() -> None:
    counts: Counter[str] = Counter()
    assert text(r"\iffalse " * 50 + "Kept.", counts) == "Kept."
    assert dict(counts) == {"lenient.open_condition": MAX_OPEN}
