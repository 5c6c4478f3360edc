"""Title pages: the title stays, who wrote the paper and where does not."""

from collections import Counter

import pytest

from curation.sources.documents.latex.front_matter import MAX_LINE, without_authors
from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.plain_text import plain_text

BODY = r"\begin{abstract}Pears ripen.\end{abstract}\section{Method} We wait.\end{document}"
TEXT = "On pears\n\nPears ripen.\n\nMethod\n\nWe wait."
CLASSES = {
    "aastex": r"""\shorttitle{Pears}\shortauthors{Doe}\slugcomment{To appear}\begin{document}\title{On pears}
        \author{A. Doe\altaffilmark{1}}\affil{Orchard}\email{a@example.org}
        \altaffiltext{1}{Department of Orchards; a@example.org}\correspondingauthor{A. Doe}\nocollaboration
        \submitjournal{The Journal}\received{May 1}""",
    "revtex": r"""\begin{document}\preprint{EX-1}\title{On pears}\author{A. Doe}\altaffiliation[Also at ]{Elsewhere}
        \email[Contact: ]{a@example.org}\homepage{http://example.org}\affiliation{Orchards\\ Example}
        \collaboration{The Pears}\noaffiliation\date{\today}\pacs{1.2}""",
    "IEEEtran": r"""\title{On pears}\author{\IEEEauthorblockN{A. Doe}\IEEEauthorblockA{Orchards\\ a@example.org}}
        \begin{document}\IEEEspecialpapernotice{(Invited)}\markboth{A journal}{Doe: Pears}\maketitle
        \IEEEpubid{1--2}""",
    "elsarticle": r"""\begin{document}\begin{frontmatter}\title{On pears}\author[one]{A. Doe\corref{c}}
        \ead{a@example.org}\ead[url]{example.org}\address[one]{Orchards}\cortext[c]{Write to me}\fntext[f]{Note}
        \journal{A journal}\begin{keyword}pears\end{keyword}\end{frontmatter}""",
    "acmart": r"""\acmConference[X '26]{Conference on X}{May 2026}{Exampleton}\acmYear{2026}\acmDOI{10.1/2}\acmPrice{1}
        \setcopyright{none}\begin{document}\title{On pears}\author{A. Doe}\authornote{Both.}\orcid{1}
        \affiliation{\institution{Orchards}\city{Exampleton}}\email{a@example.org}\ccsdesc[500]{Fruit}\keywords{pears}""",
    "llncs": r"""\begin{document}\title{On pears}\titlerunning{Pears}\author{A. Doe\inst{1}}\authorrunning{Doe}
        \institute{Orchards \email{a@example.org}}\toctitle{Pears}\tocauthor{Doe}
        \urldef{\mail}\path|a@example.org|\maketitle""",
    "icml": r"""\begin{document}\icmltitlerunning{Pears} \twocolumn[ \icmltitle{On pears}

        \icmlsetsymbol{equal}{*}
        \begin{icmlauthorlist}\icmlauthor{A. Doe}{one}\end{icmlauthorlist}
        \icmlaffiliation{one}{Orchards} \icmlcorrespondingauthor{A. Doe}{a@example.org}

        \icmlkeywords{pears} \vskip 0.3in ] \printAffiliationsAndNotice{\icmlEqualContribution}""",
    "neurips": r"""\title{On pears}\author{A. Doe\thanks{Now elsewhere.} \\ Orchards \\ \texttt{a@example.org}
        \And B. Roe \AND C. Poe}\begin{document}\maketitle""",
    "amsart": r"""\begin{document}\title[Pears]{On pears}\author{A. Doe}\address{Orchards}\curraddr{Elsewhere}
        \email{a@example.org}\urladdr{example.org}\thanks{A fund.}\subjclass[2020]{1}\dedicatory{To B.}\date{May}""",
    "mnras": r"""\title[Pears]{On pears}\author[A. Doe]{A. Doe,$^{1}$\thanks{E-mail: a@example.org}\\ Orchards}
        \pubyear{2026}\begin{document}\label{firstpage}\pagerange{\pageref{firstpage}--\pageref{lastpage}}\maketitle""",
    "AMS-TeX": r"""\begin{document}\title{On pears}\author A. Doe\endauthor \affil Orchards\endaffil
        \address Example\endaddress \email a@example.org\endemail \keywords pears\endkeywords""",
    "by hand": r"""\begin{document}\begin{titlepage}\begin{flushright}EX-TH/95-11\\ 1995\end{flushright}
        \begin{center}{\Large On pears}\\ \vskip 1cm A. Doe and B. Roe\\ {\it Department of Orchards,\\ Example}\\
        {\tt a@example.org}\end{center}\end{titlepage}""",
    "old": r"""\begin{document}\twocolumn[\maketitle \begin{center}\textbf{On pears}\\ A. Doe\\ Orchards of Example,
        Institute of Fruit\end{center}]""",
}  # fmt: skip


@pytest.mark.parametrize("front", [pytest.param(front, id=name) for name, front in CLASSES.items()])
def test_front_matter(front: str) -> None:
    counts: Counter[str] = Counter()
    assert plain_text(PaperFiles({"main.tex": r"\documentclass{x}" + front + BODY}), counts) == TEXT
    assert not counts


@pytest.mark.parametrize(
    ("lines", "stays"),
    [
        pytest.param(["Title", "A. Doe", "University of X", "Text."], [True, False, False, True], id="an institution"),
        pytest.param(["Title", "A. Doe, a@b.org"], [True, False], id="an address"),
        pytest.param(
            ["EX-95/3", "May 1995", "On 3", "A. Doe", "a@b.org"], [False] * 2 + [True] + [False] * 2, id="numbers"
        ),
        pytest.param(["Title", "A. Doe", "Text."], [True, True, True], id="nothing known"),
        pytest.param(["Title", "a" * (MAX_LINE + 1), "a@b.org"], [True, True, True], id="text before an address"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_lines_before_the_abstract(lines: list[str], stays: list[bool]) -> None:
    assert without_authors(lines) == stays
