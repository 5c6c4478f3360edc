"""What commands and environments of LaTeX and of the usual packages are to a reader of the text.

What is not here, and no own macro either, stands for its arguments: fonts and boxes show what is in them.
"""


def _commands(names: str) -> frozenset[str]:
    return frozenset(f"\\{name}" for name in names.split())


def _with_star(names: str) -> frozenset[str]:
    return frozenset(f"{name}{star}" for name in names.split() for star in ("", "*"))


HEADINGS = _commands("part chapter section subsection subsubsection paragraph subparagraph caption subcaption")
KEYS = _commands(  # which cite or refer
    "cite citep citet citealt citealp citeauthor citeyear citeyearpar Citet Citep citen onlinecite parencite textcite "
    "autocite footcite shortcite citeA citeNP ref eqref cref Cref autoref Autoref pageref nameref vref subref"
)
UNSEEN_ARGUMENTS = {  # command -> its first arguments, which show nothing: what follows them is text
    command: count
    for count, names in {
        1: "label vspace hspace includegraphics index glossary footnote footnotetext footnotemark thanks author "
        "address email affiliation affil institute institution date keywords keyword subjclass pacs todo nocite "
        "bibliography bibliographystyle addbibresource pagestyle thispagestyle pagenumbering graphicspath "
        "hypersetup RequirePackage documentclass documentstyle theoremstyle newcounter newlength newsavebox "
        "phantom hphantom vphantom hyphenation captionsetup cline hhline cellcolor rowcolor cmidrule textcolor "
        "color colorbox rotatebox scalebox raisebox parbox href hyperref epsfbox epsffile epsfig psfig plotone "
        "bibitem lstset tikzset pgfplotsset usetikzlibrary orcid orcidlink received accepted cortext ead fntext "
        "corref fnref tnotetext tnoteref stepcounter refstepcounter linespread titlerunning preprint "
        "authorrunning markright ccsdesc emailAdd icmlkeywords icmltitlerunning icmlsetsymbol",
        2: "newcolumntype setcounter addtocounter setlength addtolength settowidth resizebox multirow multicolumn "
        "markboth fontsize icmlauthor icmlaffiliation icmlcorrespondingauthor numberwithin counterwithin "
        "fcolorbox rule plottwo tablenotetext",
        3: "addcontentsline definecolor",
    }.items()
    for command in _commands(names)
}
SIZES = _commands(  # which a number with its unit follows
    "hbox vbox vglue hglue vskip hskip kern hsize vsize baselineskip parindent parskip textwidth textheight "
    "oddsidemargin evensidemargin topmargin hoffset voffset tolerance magnification tabcolsep columnsep "
    "headheight headsep belowcaptionskip abovecaptionskip hangindent leftskip rightskip raise lower penalty"
)
MATHS = _with_star("equation align gather multline eqnarray flalign alignat dmath IEEEeqnarray math displaymath")
UNSEEN_ENVIRONMENTS = frozenset(
    "thebibliography references tikzpicture pspicture picture comment acknowledgments acknowledgements acks keyword "
    "keywords IEEEkeywords CCSXML".split()
)
OPENING_ARGUMENTS = {  # environment -> arguments behind its name that show nothing
    **dict.fromkeys(
        "tabular longtable supertabular deluxetable deluxetable* minipage adjustbox spacing multicols subfigure "
        "subtable".split(),
        1,
    ),
    **dict.fromkeys("tabular* tabularx tabulary xltabular wraptable wrapfigure wrapfigure*".split(), 2),
}
