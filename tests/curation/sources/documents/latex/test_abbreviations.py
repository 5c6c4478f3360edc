"""Abbreviations by their keys, as three packages have them."""

from collections import Counter

import pytest

from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.plain_text import plain_text

BC = r"\newacronym[longplural=x]{bc}{BC}{brown \emph{cow}}"


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        pytest.param(rf"{BC}\gls{{bc}}, \gls*{{bc}}.", "brown cow (BC), BC.", id="the first and the second use"),
        pytest.param(rf"{BC}\Glspl{{bc}} and \glspl{{bc}}", "Brown cows (BCs) and BCs", id="more than one"),
        pytest.param(
            rf"{BC}\acrlong{{bc}}, \glsentryshort{{bc}}, \acrfull{{bc}}", "brown cow, BC, brown cow (BC)", id="by form"
        ),
        pytest.param(rf"{BC}\gls{{bc}} \glsresetall\gls{{bc}}", "brown cow (BC) brown cow (BC)", id="anew"),
        pytest.param(r"\acrodef{a}[A]{apple}\newacro{b}{bee}\ac{a} \acp{b}", "apple (A) bees (bs)", id="acronym"),
        pytest.param(r"\DeclareAcronym{a}{short = A, long={an apple}}\ac{a}", "an apple (A)", id="acro"),
        pytest.param(r"\newglossaryentry{a}{name=apple, description={red}}\gls{a}", "apple", id="a glossary"),
        pytest.param(r"\gls{a}, \ac b", "a, b", id="unknown"),
        pytest.param(r"\newcommand{\ac}[1]{<#1>}\ac{a}", "<a>", id="an own macro"),
        pytest.param(r"\newacronym{a}{}{}\Gls{a}b\gls{}\acrodef{}{}\ac{}", "b", id="empty"),
    ],
)
def test_abbreviations(tex: str, expected: str) -> None:
    assert plain_text(PaperFiles({"main.tex": tex}), Counter()) == expected
