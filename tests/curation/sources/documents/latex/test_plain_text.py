"""Papers in TeX as text: what is kept, what is left out, and TeX that is hostile or broken."""

import random
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

import pytest

from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.plain_text import plain_text
from curation.sources.documents.latex.stream import ExpansionError

PAPER = r"""\documentclass{article} % a comment
\usepackage[utf8]{inputenc}
\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}
\title[Short]{On \emph{tides} \\ and M\"obius\thanks{A fund.}}
\author{A. Author}
\newtheorem{thm}{Theorem}
\begin{document}
\maketitle
\begin{abstract}
We measure 10\% of --- ``tides''\footnote{Not now.} at
night.% to do

\end{abstract}
\section*{Harbours}\label{sec:h}
Na\"{\i}ve, \'etale, \c{c}a, \v Sid; see Section~\ref{sec:h} and \citep[p.~3]{a1,
b2}. Let $x_1 > 0$, so
\[ a = b \label{eq:z} \] holds.
\be E = mc^2 \ee
\begin{thm}[Euler] All is well. \end{thm}
\begin{proof} Clear. \end{proof}
\begin{itemize}
\item One

\item[b)] Two
\end{itemize}
\begin{figure}[t]\centering\includegraphics[width=\textwidth]{a.png}\caption[No]{A \emph{map}.}\end{figure}
\begin{tabular}{l|r} Low & \textbf{1} \\ \hline High & 3 \\[2pt] \end{tabular}
\begin{tikzpicture}\draw (0,0);\end{tikzpicture}
\begin{lstlisting}[language=C]
if (a % b) {
    return;
\end{lstlisting}
Use \verb|a_b%| and \url{http://x.org/~a--b}.
\begin{thebibliography}{9}\bibitem{a1} A book.\end{thebibliography}
\appendix
More.
\end{document}
Never."""
TEXT = """On tides and Möbius

We measure 10% of — “tides” at night.

Harbours

Naïve, étale, ça, Šid; see Section [sec:h] and [a1, b2]. Let $x_1 > 0$, so

$$a = b \\label{eq:z}$$

holds.

\\begin{equation} E = mc^2 \\end{equation}

Theorem (Euler). All is well.

Proof. Clear.

- One
- b) Two

A map.

Low | 1
High | 3

```
if (a % b) {
    return;
```

Use a_b% and http://x.org/~a--b.

More."""


CLOSED = r"\documentclass{a}\begin{document}\end{document}"
WHOLE = r"\documentclass{a}\begin{document}" + r"\input{b}" * 7
TOP = "".join(f"{n}.tex toplevelfile\n" for n in range(99))


def text(body: str, files: Mapping[str, str] | None = None, counts: Counter[str] | None = None) -> str:
    main = rf"\documentclass{{a}}\begin{{document}}{body}\end{{document}}"
    return plain_text(PaperFiles({"main.tex": main, **(files or {})}), Counter() if counts is None else counts)


def test_a_paper() -> None:
    counts: Counter[str] = Counter()
    assert plain_text(PaperFiles({"main.tex": PAPER}), counts) == TEXT
    assert not counts


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        pytest.param(r"\newcommand{\R}{\mathbb R}$\R x$, $2\R$", r"$\mathbb R x$, $2\mathbb R$", id="none"),
        pytest.param(r"\newcommand\n[2][2]{\|#2\|_#1}$\n{x}$ $\n[1]y$", r"$\|x\|_2$ $\|y\|_1$", id="an option"),
        pytest.param(r"\def\p#1#2{(#1,#2)}\p ab \p{c}{d}", "(a,b) (c,d)", id="two"),
        pytest.param(r"\newcommand{\a}{\alpha}$\a b\a{}c$", r"$\alpha b\alpha{}c$", id="words stay apart"),
        pytest.param(r"\newcommand{\f}[1]{\sin#1}$\f x$", r"$\sin x$", id="and from arguments"),
        pytest.param(r"\newcommand{\m}[1]{\newcommand{#1}[1]{<##1>}}\m{\k}\k{a}", "<a>", id="that defines another"),
        pytest.param(r"\def\a#1.{<#1>}\a b c. d", "<b c> d", id="a delimiter"),
        pytest.param(r"\def\eq#1\en{\[#1\]}\eq x_1\en a", "$$x_1$$\n\na", id="between two commands"),
        pytest.param(r"\def\a[#1]#2{<#1, #2>}\a[b]{c} \a d.", "<b, c> <, d>.", id="brackets"),
        pytest.param(r"\NewDocumentCommand{\a}{O{b} m}{<#1, #2>}\a{c} \a[d]{e}", "<b, c> <d, e>", id="xparse"),
        pytest.param(
            r"\NewDocumentCommand{\a}{o}{\IfValueTF{#1}{<#1>}{none}}$\a$ \a[b]",
            "$none$ <b>",
            id="an option without default",
        ),
        pytest.param(
            r"\newcommand\w[1]{\w@{#1}{0}}\def\w@#1#2{\setbox0\hbox{$#1$}}$\w{x}$", "${x}$", id="drawn inside"
        ),
        pytest.param(r"\newcommand\w[1]{\setbox0\hbox{$#1$}\kern1pt}$\w{x}$", r"$\w{x}$", id="drawn"),
        pytest.param(r"\def\q#1{<#1>}\def\endq{!}\begin{q}{a}b\end{q}", "<a>b!", id="two macros as environment"),
        pytest.param(r"\renewcommand{\phi}{\varphi}$\phi$", r"$\varphi$", id="again"),
        pytest.param(r"\let\old\phi\renewcommand{\phi}{\old_0}$\phi$", r"$\phi_0$", id="another name"),
        pytest.param(r"\DeclareMathOperator*{\amax}{arg\,max}$\amax x$", r"$\operatorname{arg\,max} x$", id="operator"),
        pytest.param(r"\newenvironment{q}[1]{<#1: }{>}\begin{q}{a}b\end{q}", "<a: b>", id="environment"),
        pytest.param(r"\newcommand{\eg}{e.g.\xspace}\eg so, \eg\ so", "e.g. so, e.g. so", id="blanks"),
        pytest.param(r"\newcommand{\section}{}\section{A} b", "A\n\nb", id="headings stay"),
        pytest.param(r"\iffalse a \ifx b \fi c \else d\fi e", "d e", id="false"),
        pytest.param(r"\newif\ifx\ifx a\else b\fi\xtrue\ifx c\else d\fi", "b c", id="switches"),
        pytest.param(r"\unknown[option]{a} {\bf b} \textcolor{red}{c}", "a b c", id="unknown"),
        pytest.param("a% b\n  c\\% d %\n\ne", "ac% d\n\ne", id="comments"),
        pytest.param(r"\vskip 10pt plus 2pt a \parindent=0pt \hbox to 3cm{b}", "a b", id="sizes"),
        pytest.param(r"$a \text{ if $b$}$ and $$c$$", "$a \\text{ if $b$}$ and\n\n$$c$$", id="formulas in formulas"),
        pytest.param(r"\def\m{\ifmmode a\else$a$\fi}\m and $\m$", "$a$ and $a$", id="modes"),
        pytest.param("\\emph\n \n \n{a} \\'{{e}}", "a é", id="no argument beyond a paragraph"),
        pytest.param(
            r"10\textsuperscript{6}, $10^6$, the 21\textsuperscript{st}", "10^6, $10^6$, the 21st", id="raised"
        ),
        pytest.param(r"CO\textsubscript{2}, a mill\textsuperscript{\textit{1}}.", "CO2, a mill.", id="a note"),
        pytest.param(r"\newcommand{\up}[1]{\textsuperscript{#1}}m\up{$2$} m\up2", "m$2$ m^2", id="own raised"),
        pytest.param(r"\ensuremath{a} \(b\)", "$a$ $b$", id="other dollars"),
        pytest.param(r"\begin{section}{A} b\end{section} c", "A\n\nb\n\nc", id="a section as environment"),
        pytest.param(r"\hypertarget{key}{\section{A}} b", "A\n\nb", id="the target of a link"),
        pytest.param(r"\pdfstringdefDisableCommands{\def\chi{chi}}$\chi$", r"$\chi$", id="for bookmarks alone"),
        pytest.param(r"a \deleted{b}\added{c}, \replaced{d}{e}", "a c, e", id="changes that authors mark"),
        pytest.param(r"\firstpage{1}\corresp{A Road}\specialrule{1pt}{2pt}{0pt}a", "a", id="of journals' styles"),
        pytest.param(r"\setkeys{Gin}{width=2cm}\rowcolors{2}{red!5}{white}a", "a", id="settings"),
        pytest.param(r"\begin{circuitikz}\draw (0,0) to [R] (1,0);\end{circuitikz}a", "a", id="a circuit"),
    ],
)
def test_own_macros_and_commands(tex: str, expected: str) -> None:
    assert text(tex) == expected


@pytest.mark.parametrize(
    ("tex", "expected", "uses"),
    [
        pytest.param(r"\def\small{\@setsize\small{9pt}\ixpt\@ixpt}\small a", "a", 1, id="sizes of old styles"),
        pytest.param(r"\def\all#1{\@ifnextchar\bgroup{\all}{x}}$\all{y}{z}$", r"$\all{y}{z}$", 1, id="looking ahead"),
        pytest.param(r"\def\a{\a\a}\a b \a", "b", 2, id="twice"),
        pytest.param(r"\def\a#1{\a{#1#1}}\a{word}", "word", 1, id="with an argument"),
        pytest.param(r"\def\a#1{\q(#1)}\def\q{\a c}\a{d}", "(d)", 1, id="in turn"),
        pytest.param(r"\def\@n{\x\n}\let\n\@n \n a", "a", 1, id="under another name"),
        pytest.param(r"$\newcommand{\a}{$\a$}\a$", r"$\a$", 1, id="in formulas"),
        pytest.param(r"\def\a{\typeout{in \a}b}\a", "b", 0, id="in a message"),
        pytest.param(r"\def\a{\string\a b}\a", "b", 0, id="its name"),
        pytest.param(r"\def\a{long (short)\gdef\a{short}}\a, \a", "long (short), short", 0, id="defined again"),
        pytest.param(r"\newcommand{\a}[1]{<#1>}\a{b \a{c}}", "<b <c>>", 0, id="in its own argument"),
        pytest.param(r"\let\old\emph\renewcommand{\emph}[1]{<\old{#1}>}\emph{a}", "<a>", 0, id="what it was before"),
    ],
)
def test_macros_that_come_back_to_themselves_stay_as_they_are(tex: str, expected: str, uses: int) -> None:
    counts: Counter[str] = Counter()
    assert text(tex, counts=counts) == expected
    assert counts["lenient.endless_macro"] == uses


def test_own_environments_with_names_of_latex_stay_those_of_latex() -> None:
    own = r"\renewenvironment{abstract}{\centerline{\large\bf Abstract}\begin{list}{}{}\item}{\end{list}}"
    assert text(own + r"\begin{abstract}Pears.\end{abstract} More.") == "Pears.\n\nMore."


def test_an_input_that_is_a_picture_is_not_missing() -> None:
    counts: Counter[str] = Counter()
    main = r"\documentclass{a}\begin{document}a \input{x.pdf_tex} b \input{y.tikz}\end{document}"
    assert plain_text(PaperFiles({"main.tex": main}, {"x.pdf_tex"}), counts) == "a b"
    assert dict(counts) == {"lenient.input_missing": 1}


def test_a_document_that_begins_in_an_input() -> None:
    files = {
        "main.tex": r"\documentclass{a}\newcommand{\own}{Own.}\input{body}\end{document}",
        "body.tex": r"\title{Pears}\begin{document}\maketitle\own",
        "other.tex": r"\begin{document}Never.\end{document}",
    }
    assert plain_text(PaperFiles(files), Counter()) == "Pears\n\nOwn."


def test_tokens_of_a_long_paper_are_those_of_a_short_one() -> None:
    piece = "A \\emph{word}, $x_1$ % not this\n  and \\x[option]{more}.\n\n\\begin{quote}b\\end{quote}\n"
    shown = "A word, $x_1$ and more.\n\nb"
    assert text(piece * 3000) == "\n\n".join([shown] * 3000)


def test_inputs() -> None:
    files = {
        "parts/one.tex": r"One. \endinput Never.",
        "sub.tex": r"\documentclass[main]{subfiles}\begin{document}Two.\end{document}Never.",
        "own.sty": r"\newcommand{\own}{Own.}",
        "published.sty": r"\ProvidesPackage{published}\newcommand{\dots}{Never.}",
    }
    counts: Counter[str] = Counter()
    tex = r"\usepackage{own,published}\input parts/one \subfile{sub} \import{parts/}{one} \own \dots \input{none}"
    assert text(tex, files, counts) == "One. Two. One. Own. …"
    assert dict(counts) == {"lenient.input_missing": 1}


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        pytest.param("a \\\\ [2pt] b \\\\\n[c] d", "a\nb\n[c] d", id="a length behind a line"),
        pytest.param(r"\setlength\itemsep{0pt}\itemsep 2pt a", "a", id="lengths"),
        pytest.param(r"\begin{tabular}{ll} & \\ a & b\end{tabular}\item[] \item c", "a | b\n- c", id="empty rows"),
        pytest.param("It costs $5.\n\nMore $x$.", "It costs $5.\n\nMore $x$.", id="a dollar"),
        pytest.param(r"{a $b} c", "a $b c", id="a dollar in a group"),
        pytest.param(r"a \begin{align} b", "a b", id="an environment"),
        pytest.param(r"a}} b {{c", "a b c", id="braces"),
        pytest.param(r"a \catcode`\%=12 \csname x\endcsname b", "a ‘%=12 b", id="categories"),
        pytest.param("a \\begin{verbatim} b", "a\n\nb", id="code"),
        pytest.param(r"\newcommand", "", id="nothing to define"),
        pytest.param(r"\end{itemize}\item a", "- a", id="lists"),
    ],
)
def test_broken_tex(tex: str, expected: str) -> None:
    assert text(tex) == expected


@pytest.mark.parametrize(
    "tex",
    [
        pytest.param("{" * 10**5 + r"\\" * 10**4, id="deep groups"),
        pytest.param(r"\emph{" * 10**4, id="open groups"),
        pytest.param("".join(rf"\def\m{'abcdefghij'[n % 10] * (n // 10)}{{x}}" for n in range(300)) * 30, id="macros"),
        pytest.param(r"\x[" * 10**4, id="open options"),
        pytest.param(r"\begin{verbatim}" * 10**4, id="open code"),
        pytest.param(r"\verb|" * 10**4 + "\\verb+" * 10**4, id="open verb"),
        pytest.param("$" * 10**5, id="dollars"),
        pytest.param("{$" * 10**3, id="dollars in groups"),
        pytest.param(r"\begin{equation}" * 10**4, id="open formulas"),
        pytest.param(r"\iffalse" * 10**5, id="open conditions"),
        pytest.param("%\n \t" * 10**5, id="comments"),
        pytest.param("\n \t" * 10**5, id="blank lines"),
        pytest.param("a" * 10**6, id="a word"),
        pytest.param(r"\let\a\b\let\b\a\a" * 10**4, id="names in turn"),
        pytest.param(r"\documentclass[" * 10**4, id="classes"),
        pytest.param(r"\input" + " " * 10**5 + "}", id="blanks"),
        pytest.param(r"\def\a#1{" + "#1" * 10**5 + r"}\a{" + "{}" * 10**5 + "}", id="an argument often"),
        pytest.param(r"\def\a#1{\a}\a " + "a" * 10**5, id="a word by letters"),
    ],
)
def test_hostile_tex_ends(tex: str) -> None:
    with suppress(ExpansionError):
        assert isinstance(text(tex), str)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"b.tex": "%\n" * 10**5}, id="comments"),
        pytest.param({"b.tex": CLOSED + "a\n" * 10**5}, id="nothing after the end"),
        pytest.param({f"{n}.tex": WHOLE for n in range(99)} | {"b.tex": "{}" * 10**5, "00README": TOP}, id="main ones"),
    ],
)
def test_inputs_cost_what_reading_them_takes(files: Mapping[str, str]) -> None:
    with pytest.raises(ExpansionError):
        text(r"\input{b}" * 1000, files)


@pytest.mark.parametrize(
    "last", [r"\vskip", r"\let", r"\def", r"\input", r"\emph", r"\item", r"\'", r"\begin", "$", "{"]
)
def test_a_file_may_end_anywhere(last: str) -> None:
    found = plain_text(PaperFiles({"main.tex": rf"\documentclass{{a}}\begin{{document}}a{last}"}), Counter())
    assert found.startswith("a")


def test_what_does_not_end_is_counted() -> None:
    counts: Counter[str] = Counter()
    assert text(r"a \begin{thebibliography}{9} b", counts=counts) == "a"
    assert dict(counts) == {"lenient.open_environment": 1}


PIECES = [
    *"{}$&%[]~\\é\0\n",
    "\n\n",
    *(
        r"\# #1 ##2 \def\a \def\a#1 \newcommand{\a}[2][ \a \let\a\b \newenvironment{a}[1]{ \begin{a} \end{a} "
        r"\newif\ifx \ifx \xtrue \iffalse \else \fi \input{main} \item \' \c \verb| \title \section \cite[ \bye "
        r"\url \xspace \begin{verbatim} \end{verbatim} \begin{equation} \end{equation} \begin{ \end{ "
        r"\begin{document} \newtheorem{a} \texorpdfstring \ensuremath \abstract \usepackage{ \begin{tabular} "
        r"\vskip \label \( \[ \] \) \par $$ x "
    ).split(),
]


@pytest.mark.parametrize("seed", range(10))
def test_any_tex_ends(seed: int) -> None:
    rng = random.Random(seed)
    with suppress(ExpansionError):
        assert isinstance(text("".join(rng.choices(PIECES, k=200))), str)
