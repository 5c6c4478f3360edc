"""The parts that commands and environments of LaTeX and of the usual packages play for a reader of the text.

What is not here, and no own macro either, stands for its arguments: fonts and boxes show what is in them.
"""


def _commands(names: str) -> frozenset[str]:
    return frozenset(f"\\{name}" for name in names.split())


def _with_star(names: str) -> frozenset[str]:
    return frozenset(f"{name}{star}" for name in names.split() for star in ("", "*"))


HEADINGS = _commands(
    "part chapter section subsection subsubsection paragraph subparagraph caption subcaption tablecaption"
)
KEYS = _commands(  # which cite or refer
    "cite citep citet citealt citealp citeauthor citeyear citeyearpar Citet Citep citen onlinecite parencite textcite "
    "autocite footcite shortcite citeA citeNP ref eqref cref Cref autoref Autoref pageref nameref vref subref"
)
FRONT_MATTER = {  # command -> its arguments, which say who wrote the paper, where, when and for whom
    command: count
    for count, names in {
        0: "maketitle @maketitle nocollaboration noaffiliation",
        1: "thanks author authors address curraddr email emails emailAdd authoremail urladdr homepage affiliation "
        "affiliations affil altaffiliation altaffilmark institute institutes institution inst offprints orcid "
        "orcidlink date dedicatory dedication received revised accepted published submitted submitjournal "
        "submitto slugcomment shorttitle shortauthors journalinfo journal collaboration correspondingauthor "
        "correspondence authoraddr authorcomment lefthead righthead keywords keyword subjectheadings subjclass "
        "pacs PACS pacno preprint reportnumber arxivnumber cortext ead fntext fnref corref tnotetext tnoteref "
        "titlerunning authorrunning toctitle tocauthor runninghead runningtitle runningauthor titlenote "
        "subtitlenote authornote authornotemark additionalauthors acmDOI acmISBN acmYear acmMonth acmVolume "
        "acmNumber acmArticle acmPrice acmJournal acmBooktitle acmSubmissionID acmArticleSeq setcopyright "
        "copyrightyear CopyrightYear crdata terms numberofauthors alignauthor ccsdesc settopmatter editor commby "
        "translator icmltitlerunning icmladdress icmlkeywords printAffiliationsAndNotice aistatsauthor "
        "aistatsaddress IEEEauthorblockN IEEEauthorblockA IEEEmembership IEEEauthorrefmark IEEEspecialpapernotice "
        "IEEEpubid IEEEcompsocitemizethanks IEEEcompsocthanksitem Author Address Affil pagerange pubyear AuthorNames "
        "corres equalcont presentaddress journaltitle DOI access appnotes firstpage lastpage corresp authormark",
        2: "altaffiltext icmlauthor icmlaffiliation icmlcorrespondingauthor icmlsetsymbol headers markboth "
        "conferenceinfo ShortHeadings acmBadgeR acmBadgeL",
        3: "category",
        4: "acmConference",
        6: "jmlrheading",
    }.items()
    for command in _commands(names)
}
UNSEEN_ARGUMENTS = FRONT_MATTER | {  # command -> its first arguments, which show nothing: what follows them is text
    command: count
    for count, names in {
        1: "label vspace hspace includegraphics index glossary footnote footnotetext footnotemark todo nocite "
        "bibliography bibliographystyle addbibresource pagestyle thispagestyle pagenumbering graphicspath "
        "hypersetup RequirePackage documentclass documentstyle theoremstyle newcounter newlength newsavebox "
        "phantom hphantom vphantom hyphenation captionsetup cline hhline cellcolor rowcolor cmidrule textcolor "
        "color colorbox rotatebox scalebox raisebox parbox href hyperref epsfbox epsffile epsfig psfig plotone "
        "bibitem lstset tikzset pgfplotsset usetikzlibrary stepcounter refstepcounter linespread markright "
        "typeout message errmessage wlog special marginpar tablenotemark figurenum captionof sisetup epsscale "
        "arrayrulecolor theadfont hypertarget pdfstringdefDisableCommands deleted explain replaced",
        2: "newcolumntype setcounter addtocounter setlength addtolength settowidth resizebox multirow multicolumn "
        "fontsize numberwithin counterwithin fcolorbox rule plottwo tablenotetext @addtoreset titleformat setkeys",
        3: "addcontentsline definecolor colorlet rowcolors specialrule",
        4: "@setsize",
        6: "@startsection",
    }.items()
    for command in _commands(names)
}
SIZES = _commands(  # which a number with its unit follows
    "hbox vbox vglue hglue vskip hskip kern hsize vsize baselineskip parindent parskip textwidth textheight "
    "oddsidemargin evensidemargin topmargin hoffset voffset tolerance magnification tabcolsep columnsep "
    "headheight headsep belowcaptionskip abovecaptionskip hangindent leftskip rightskip raise lower penalty itemsep "
    "parsep topsep partopsep topskip labelsep leftmargin rightmargin itemindent labelwidth fboxsep fboxrule "
    "arraycolsep footskip columnseprule linewidth columnwidth floatsep textfloatsep intextsep abovedisplayskip "
    "belowdisplayskip clubpenalty widowpenalty baselinestretch hfuzz vfuzz emergencystretch moveleft moveright vtop"
)
MATHS = _with_star("equation align gather multline eqnarray flalign alignat dmath IEEEeqnarray math displaymath")
UNSEEN_ENVIRONMENTS = frozenset(
    "thebibliography references tikzpicture circuitikz tikzcd forest pspicture picture comment acknowledgments "
    "acknowledgements acks keyword keywords IEEEkeywords CCSXML".split()
)
OPENING_ARGUMENTS = {  # environment -> arguments behind its name that show nothing
    **dict.fromkeys(
        "tabular longtable supertabular deluxetable deluxetable* minipage adjustbox spacing multicols subfigure "
        "subtable".split(),
        1,
    ),
    **dict.fromkeys("tabular* tabularx tabulary xltabular wraptable wrapfigure wrapfigure*".split(), 2),
}
