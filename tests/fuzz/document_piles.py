"""Files of documents that are one piece again and again, or nested in itself: for each source its pieces, with what
closes them, and how a text of these becomes a file."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from tests.curation.pdf_files import pdf
from tests.curation.sources.documents import test_wikipedia_xml as wiki
from tests.curation.sources.documents.test_arxiv import paper
from tests.curation.sources.documents.test_code import tarred
from tests.curation.sources.documents.test_dialogue import comment, lines, submission
from tests.curation.sources.documents.test_email import FROM, mbox, message
from tests.curation.sources.documents.test_gutenberg import book
from tests.curation.sources.documents.test_stackexchange import dump, row
from tests.curation.sources.documents.test_wikipedia_html import article
from tests.curation.sources.documents.test_wikipedia_html import lines as json_lines
from tests.curation.sources.tar_files import tar

Pieces = Sequence[tuple[str, str]]

ANY = (
    *(("a", ""), ("word ", ""), ("é中", ""), (" ", ""), ("\n", ""), ("\r", ""), ("\t", ""), ("a\n\n", ""), ("-", "")),
    *(("=", ""), (".", ""), ("d29yZCB3b3JkIHdvcmQ", ""), ("http://a.org/", ""), ("a@a.org ", ""), ("1", "")),
    *(("&", ""), ("&amp;", ""), ("&#38;", ""), ("(", ")"), ("[", "]"), ("<", ">"), ('"', ""), ("> ", ""), (">", "")),
    *(("* ", ""), ("|", ""), ("\\", ""), ("<b>", "</b>"), ("<a href='b'>", "</a>"), ("<!--", "-->"), ("\0", "")),
)
TEX = (
    *(("{", "}"), ("$", ""), ("$$", ""), (r"\(", r"\)"), (r"\[", r"\]"), (r"\a", ""), (r"\section{a}", ""), ("~", "")),
    *((r"\begin{itemize}\item ", r"\end{itemize}"), (r"\begin{a}", r"\end{a}"), (r"\footnote{", "}"), ("%\n", "")),
    *((r"\if1 ", r"\fi "), (r"\iffalse ", r"\fi "), (r"\iftrue ", r"\else a\fi "), (r"\else ", ""), (r"\fi ", "")),
    *((r"\ifx\a\b ", r"\fi "), (r"\newif\ifa ", ""), (r"\ifa ", r"\fi "), (r"\csname a", r"\endcsname "), ("#", "")),
    *((r"\def\a{\a\a}\a ", ""), (r"\newcommand{\b}[1]{#1#1}\b{", "}"), (r"\def\b#1{#1#1}\b{", "}"), (r"\b{", "}")),
    *((r"\let\a\b", ""), (r"\expandafter", ""), (r"\noexpand", ""), (r"\input{a}", ""), (r"\include{a}", "")),
    *((r"\begin{tabular}{l}a&b\\ ", r"\end{tabular}"), ("&", ""), (r"a & b \\ ", ""), (r"\cite{a}", ""), ("``", "''")),
    *((r"\frac{", "}"), ("^{", "}"), (r"\verb|a|", ""), (r"\'e", ""), (r"\author{a}", ""), (r"\title{", "}")),
    *((r"\begin{figure}", ""), (r"\end{a}", ""), (r"\twocolumn[", "]"), (r"\makeatletter ", ""), (r"\left(", "")),
    *((r"\def\a{a}", ""), (r"\edef\a{\a\a}", ""), (r"\def\b{\a\a}\def\a{\b\b}\a ", ""), (r"\begin{document}", "")),
    *((r"\end{document}", ""), (r"\catcode`\a=1 ", ""), (r"\ifnum1<2 ", r"\fi "), (r"\loop\a\repeat ", "")),
    *((r"\begin{verbatim}", ""), (r"\item ", ""), (r"\newenvironment{a}{b}{c}", ""), (r"\href{a}{", "}")),
)
XML = (
    *((f"<{name}>", f"</{name}>") for name in "p sec title italic sup sub list list-item tr td table mml:math".split()),
    *((f"<{name}>", f"</{name}>") for name in "table-wrap alternatives sub-article disp-quote verse-line fig".split()),
    *((f"<{name}>", f"</{name}>") for name in "mml:mrow mml:msup mml:mfrac mml:mfenced inline-formula code fn".split()),
    *(
        (f"<{name}>", f"</{name}>")
        for name in "front body article-meta pub-date license-p contrib ref-list app".split()
    ),
    *(
        ('<xref ref-type="bibr" rid="b">1</xref>, ', ""),
        ("<x/>", ""),
        ('<xref rid="b">', "</xref>"),
        ("<td>1</td>", ""),
    ),
    *(("<pub-date><year>2020</year></pub-date>", ""), ("<!-- a -->", ""), ("<?a b?>", ""), ("<![CDATA[a]]>", "")),
    *(("<p>(<xref/>, <xref/>)</p>", ""), ("<tex-math>$a$</tex-math>", ""), ("<article>", "</article>"), ("<td ", "")),
    *(("<mml:mi>x</mml:mi>", ""), ("<tr><td>1</td></tr>", ""), ("<named-content a='b'>", "</named-content>")),
)
MAIL = (
    *((FROM, ""), ("From \n", ""), ("\n" + FROM, ""), (f"{FROM}A: b\n\n", ""), ("X-A: b\n", ""), ("Subject: ", "")),
    *(("> ", ""), (">a\n", ""), ("> a\n>> b\n", ""), ("> \n", ""), ("--a\n", ""), ("=?utf-8?B?w5xi?= ", "")),
    *(("Content-Type: multipart/mixed; boundary=a\n\n--a\n", ""), ("-----BEGIN PGP MESSAGE-----\n", "")),
    *(("-----BEGIN PGP SIGNATURE-----\na\n", ""), ("On 1 May 2020, Ann wrote:\n", ""), ("Ann wrote:\n> b\n", "")),
    *(("[[alternative HTML version deleted]]\n", ""), ("-- \n", ""), ("_____\n", ""), ("-----\n", ""), ("=\n", "")),
    *(("=3D", ""), (";a=b", ""), ("-------------- next part --------------\n", ""), ("On a, ", ""), (" wrote:\n", "")),
    *(("Content-Type: message/rfc822\n\n", ""), ("<div>", "</div>"), ("begin 644 a\n", ""), ("Am 1.1.2020 ", "")),
    *(
        ("Content-Type: text/plain;\n charset=a\n", ""),
        ("\n ", ""),
        ("Message-ID: <a@a>\n", ""),
        (",", ""),
        ("<a@a>", ""),
    ),
)
WIKI = (
    *(
        ("[[", "]]"),
        ("{{", "}}"),
        ("{{{", "}}}"),
        ("{{a|", "}}"),
        ("[[File:a|", "]]"),
        ("[http://a ", "]"),
        ("-{", "}-"),
    ),
    *(("{|\n|", "\n|}"), ("|-\n|a\n", ""), ("\n|", ""), ("||", ""), ("\n!", ""), ("''", ""), ("'''", ""), ("'", "")),
    *(
        ("\n*", ""),
        ("*", ""),
        ("\n#", ""),
        ("\n:", ""),
        ("\n;a:b", ""),
        ("== a ==\n", ""),
        ("\n==", ""),
        ("\n----", ""),
    ),
    *(
        (f"<{name}>", f"</{name}>")
        for name in "ref div nowiki math br table tr td ul li pre source gallery sup".split()
    ),
    *(
        ("<ref name=a/>", ""),
        ("<ref", ""),
        ("</ref>", ""),
        ("<br>", ""),
        ("<nowiki/>", ""),
        ("__TOC__", ""),
        ("~~~~", ""),
    ),
    *(
        ("{{a}}", ""),
        ("[[a|b]]", ""),
        ("{{lang|de|", "}}"),
        ("{{convert|1|km}}", ""),
        ("{{nihongo|a|", "}}"),
        ("}}", ""),
    ),
    *(
        ("|}", ""),
        ("{|", ""),
        ("{{#if:a|", "}}"),
        ("<includeonly>", "</includeonly>"),
        ("]]", ""),
        ("[[a", ""),
        ("{{a", ""),
    ),
    *(
        ("\n{|\n|-\n|a||b\n|}", ""),
        ("| a = b\n", ""),
        (" \n", ""),
        ("\n ", ""),
        ("<p ", ""),
        ("&nbsp;", ""),
        ("[[a]]b", ""),
    ),
)
HTML = (
    *((f"<{name}>", f"</{name}>") for name in "div table tr td ul li sup span section figure ol p pre".split()),
    *(('<sup class="reference">', "</sup>"), ('<ol class="references">', "</ol>"), ("<br>", ""), ("<math>", "</math>")),
    *(("<pre><code>", "</code></pre>"), ("<blockquote>", "</blockquote>"), ("<img alt='a'>", ""), ("</div>", "")),
    *(("<tr><td>a</td></tr>", ""), ("<script>", ""), ("<style>", ""), ("<math><mi>x</mi></math>", ""), ("<p ", "")),
    *(("<a href='./File:a'>", "</a>"), ("<![CDATA[", "]]>"), ("<li value=1>", ""), ("<code>", "</code>"), ("$", "")),
)
CUES = (
    *(("1\n00:00:01,000 --> 00:00:02,000\na\n\n", ""), ("00:01.000 --> 00:02.000\na b c\n\n", ""), ("{\\an8}", "")),
    *(("00:00:01 --> 00:00:02\n", ""), ("-->", ""), ("NOTE a\n\n", ""), ("STYLE\n", ""), ("WEBVTT\n\n", ""), ("♪", "")),
    *(
        ("Dialogue: 0,0:00:01.00,0:00:02.00,a,,0,0,0,,b\n", ""),
        ("<c>", "</c>"),
        ("<00:00:01.000>", ""),
        ("{1}{2}a|", ""),
    ),
    *(
        ("{1}{2}a\n", ""),
        ("<i>", "</i>"),
        ("<v a>", "</v>"),
        ("{", "}"),
        ("1\n", ""),
        ("00:", ""),
        ("<font a='b'>", ""),
    ),
    *(
        ("00:01.000 --> 00:02.000\na\nb\n\n", ""),
        ("00:01.000 --> 00:02.000\n<00:00:01.000><c>a</c>\n\n", ""),
        ("- a\n", ""),
    ),
)
CHAT = (
    *(
        ("[12:34:56] <p> a\n", ""),
        ("[12:34] * p a\n", ""),
        ("--- Day changed Thu Jan 02 2020\n", ""),
        ("12:34 <a> b\n", ""),
    ),
    *(
        ("<p> ", ""),
        ("12:34 ", ""),
        ("*** a joins\n", ""),
        ("(a!b@c) ", ""),
        ("2020-01-01T00:00:00 ", ""),
        ("\x03", ""),
    ),
    *(("[", "]"), ("*** ", ""), ("-!- a [b@c] has joined #d\n", ""), ("\x0304,05", ""), ("[2020-01-01 12:34:56] ", "")),
    *(
        ("2020-01-01 12:34:56\ta\tb\n", ""),
        ("a: b\n", ""),
        ("12:34 -!- ", ""),
        ("[12:34:56] <", ""),
        ("<a", ""),
        ("\x02", ""),
    ),
    *(
        ("=== a\n", ""),
        ("2020-01-01 ", ""),
        ("[12:34:56] a", ""),
        ("Session Start: Thu Jan 02 2020\n", ""),
        ("a!b@c ", ""),
    ),
)
BOOK = (
    *(("*** START OF THE PROJECT GUTENBERG EBOOK A ***\n", ""), ("*** END OF THE PROJECT GUTENBERG EBOOK A ***\n", "")),
    *(
        ("*** START", ""),
        ("***", ""),
        ("Title: a\n", ""),
        ("[Illustration: ", "]"),
        ("[Illustration]\n", ""),
        ("_", ""),
    ),
    *(
        ("Produced by a\n", ""),
        ("[Footnote 1: ", "]"),
        ("[1]", ""),
        ("CHAPTER I\n\n", ""),
        ("End of Project Gutenberg\n", ""),
    ),
    *(
        ("* * * * *\n", ""),
        ("      *\n", ""),
        ("Transcriber's note: a\n", ""),
        ("The Project Gutenberg eBook of a\n", ""),
    ),
)
CODE = (
    *(("# a\n", ""), ("//a\n", ""), ("/*", "*/"), ("import a\n", ""), ("from a import b\n", ""), ("{", "}"), ("#", "")),
    *(("version https://git-lfs.github.com/spec/v1\n", ""), ("// Code generated by a. DO NOT EDIT.\n", ""), ("/", "")),
    *(("SPDX-License-Identifier: MIT\n", ""), ("@generated\n", ""), ('{"cells":[', "]}"), ('"a":', ""), ("    ", "")),
    *(
        ('{"cells":[{"cell_type":"code","source":["a"]},', "]}"),
        ("Permission is hereby granted, ", ""),
        ("import a;", ""),
    ),
)
CONTENT = (
    *(
        ("BT /F 9 Tf 1 1 Td (a) Tj ET\n", ""),
        ("BT (", ") Tj ET"),
        ("q\n", "Q\n"),
        ("[", "]"),
        ("<<", ">>"),
        ("1 0 0 1 9 9 cm\n", ""),
    ),
    *(("BT /F 9 Tf 9 9 Td (a) Tj 99 0 Td (b) Tj ET\n", ""), ("(a) Tj\n", ""), ("1 Tr\n", ""), ("/a BMC\n", "EMC\n")),
    *(
        ("1 1 m 2 2 l S\n", ""),
        ("T*\n", ""),
        ("BI ID EI\n", ""),
        ("0 -.01 Td (a b) Tj\n", ""),
        ("9 -.1 Td (a) Tj\n", ""),
    ),
)
JSON = (
    ('{"a":', "}"),
    ("[", "]"),
    ('{"a":[', "]}"),
    ('"a",', ""),
    ("{}\n", ""),
    ('{"a":1}\n', ""),
    ('\\"', ""),
    ("{", ""),
)


class Shape(NamedTuple):
    """A source's `pieces`, and the files that a text of them becomes: the text as a document is one of these."""

    pieces: Pieces
    files: Sequence[Callable[[str], bytes]]


def whole(text: str) -> bytes:
    return text.encode()


def many(write: Callable[[str], bytes], ending: str) -> Callable[[str], bytes]:
    """An archive of tiny files of a text, or of one, that begin with parts of it."""
    return lambda text: tar({f"{at}{ending}": write(text[at : at + 9]) for at in range(0, min(len(text), 45_000), 9)})


def _article(text: str) -> bytes:
    namespaces = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'
    return f"<article {namespaces}><front><article-meta></article-meta></front><body>{text}</body></article>".encode()


def _thread(text: str) -> bytes:
    """Answers to answers, as many as the text is long, up to 100,000."""
    count = min(len(text), 100_000)
    chain = (comment(f"c{at}", f"t1_c{at - 1}" if at else "t3_a", "b") for at in range(count))
    return lines(submission("a"), *chain)


SHAPES: Mapping[str, Shape] = {
    "arxiv": Shape(
        TEX,
        (
            lambda text: gzip.compress(paper(text), 1),
            lambda text: gzip.compress(text.encode() + paper("a"), 1),
            lambda text: tar({"2001/2001.00001.gz": gzip.compress(tar({"a.tex": paper(text), "b.tex": b"a"}), 1)}),
            lambda text: tar({"2001/2001.00001.gz": gzip.compress(text.encode(), 1)}),
        ),
    ),
    "jats": Shape(XML, (_article, whole, lambda text: _article(f"<p>{text}</p>"), many(_article, ".xml"))),
    "pdf": Shape(
        CONTENT,
        (lambda text: pdf(text.encode("cp1252", "replace")), lambda text: b"%PDF-1.7\n" + text.encode(), whole),
    ),
    "email": Shape(
        MAIL,
        (
            lambda text: mbox(message(text)),
            whole,
            lambda text: f"{FROM}From: a\n".encode() + text.encode(),
            lambda text: mbox(message(text, Content_Type="text/html")),
            lambda text: mbox(message(f"--a\n{text}", Content_Type="multipart/mixed; boundary=a")),
            lambda text: mbox(message(text, Content_Transfer_Encoding="quoted-printable")),
            lambda text: mbox(message("a", Subject=text, Date=text, Content_Type=text)),
        ),
    ),
    "wikipedia_xml": Shape(
        WIKI,
        (
            lambda text: (wiki.HEAD + wiki.page(1, text) + wiki.END).encode(),
            lambda text: wiki.HEAD.encode() + text.encode(),
        ),
    ),
    "wikipedia_html": Shape((*HTML, *JSON), (lambda text: json_lines([article(text)]), whole)),
    "subtitles": Shape(CUES, (whole, lambda text: b"WEBVTT\n\n" + text.encode(), many(whole, ".srt"))),
    "irc": Shape(CHAT, (whole, lambda text: b"[2020-01-01 12:34:56] <p> " + text.encode(), many(whole, ".log"))),
    "gutenberg": Shape(BOOK, (lambda text: book(text), whole, lambda text: book("a", text))),
    "code": Shape(
        CODE,
        (
            lambda text: tarred({"x/a.py": text}),
            lambda text: tarred({"x/a.ipynb": text, "x/LICENSE": text}),
            lambda text: tarred({"x/a.html": text, "x/b.java": "// a\n" + text}),
            lambda text: tarred({f"x/{text[:4000]}.py": "a", "x/a.go": text, "x/a.c": text}),
            lambda text: tarred(
                {f"x/{at}/{text[at : at + 9]}.py": "import a\n" for at in range(0, min(len(text), 90_000), 9)}
            ),
        ),
    ),
    "stackexchange": Shape(
        (
            *HTML,
            ('<row Id="1" PostTypeId="1" Body="a"/>\n', ""),
            (' a="b"', ""),
            ("<posts>", "</posts>"),
            ("<row ", ""),
        ),
        (
            lambda text: dump(row(1, "1", text)),
            lambda text: dump(text),
            lambda text: dump(row(1, "1", "a", Tags=text, Title=text)),
            whole,
        ),
    ),
    "dialogue": Shape(
        (*JSON, ("[a](b)", ""), ("&gt;", ""), ("**", ""), ("&amp;gt; ", "")),
        (
            lambda text: lines(submission("a", text)),
            whole,
            _thread,
            lambda text: lines(comment("c", "t3_a", escape(text))),
        ),
    ),
}
