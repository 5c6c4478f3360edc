"""Parts, charsets and encodings of a message, also of one that is built to do harm."""

from email.message import EmailMessage

import pytest

from curation.core.protocols import ReadTally
from curation.sources.documents.mail.message import MAX_DEPTH, MAX_PARTS, MailMessage, read_message
from curation.sources.documents.mail.quotes import own_text


def read(content: bytes) -> tuple[MailMessage, dict[str, int]]:
    tally = ReadTally()
    message = read_message(content, tally)
    assert message is not None
    return message, dict(tally.records)


def part(content: bytes, kind: str = "text/plain", encoding: str = "8bit") -> bytes:
    return f"To: a\nContent-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n\n".encode() + content


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
def test_messages_of_pythons_own(encoding: str) -> None:
    made = EmailMessage()
    made["Subject"] = "Grüße " * 30
    made.set_content("Grüße = all\n", cte=encoding)
    made.add_alternative("<p>Other</p>", subtype="html")
    made.add_attachment(b"\0\1", maintype="application", subtype="pdf")
    made.add_attachment("A text.", filename="a.txt")
    found, counts = read(made.as_bytes())
    assert (found.text, found.attachments, counts) == ("Grüße = all", 2, {})
    assert found.headers["subject"] == ("Grüße " * 30).strip()


def test_html_alone_and_two_texts() -> None:
    found, _ = read(part(b"<style>p {}</style><p>A&amp;B</p><p>C</p><script>x</script>", "text/html"))
    assert found.text.split() == ["A&B", "C"]
    mixed = b"--b1\n\nOne.\n--b12\n\n--b1 \nContent-Type: text/html\n\n<b>Two</b>\n--b1\n\nThree\n--b1--\nno part"
    found, counts = read(part(mixed, 'multipart/mixed; boundary="b1"'))
    assert (found.text, counts) == ("One.\n--b12\n\n\nTwo\n\nThree".replace("\n\n\n", "\n\n"), {})


def test_a_blank_between_head_and_text() -> None:
    found, _ = read(b"Subject: a\nTo: b\n \nHello\n\nyou")
    assert found.text == "Hello\n\nyou"
    found, _ = read(b"Subject:\n \n a\nX: \n \nContent-Language: de\n\nHello")
    assert (found.text, found.headers["content-language"]) == ("Hello", "de")


def test_parts_without_a_header_of_mail() -> None:
    found, _ = read(b"Content-Type: multipart/mixed; boundary=b\n\n\n--b\n\nHello\n--b--\n")
    assert found.text == "Hello"


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ("This is an HTML message. Please use an HTML capable\nmail program to read it.", "Hello"),
        ("I like HTML mail.", "Hello"),
        ("I like HTML.", "I like HTML."),
        ("Write HTML by hand: no mail reader minds." + " x" * 200, None),
    ],
)
def test_a_text_that_points_to_the_html(plain: str, text: str | None) -> None:
    parts = f"--b\n\n{plain}\n--b\nContent-Type: text/html\n\n<p>Hello</p>\n--b--\n".encode()
    found, _ = read(part(parts, "multipart/alternative; boundary=b"))
    assert found.text.strip() == (text or plain)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        pytest.param("<p>10<SUP>6</SUP> and H<sub>2</sub>O</p>", "10^6 and H2O", id="superscripts"),
        pytest.param("<p>a mill<sup>[1]</sup>.</p>", "a mill.", id="a note"),
        pytest.param("<ruby>川上<rt>かわかみ</rt></ruby>です", "川上です", id="ruby"),
        pytest.param("<ol start=3><li>a<li>b</ol>", "3. a\n  4. b", id="a list that begins at 3"),
        pytest.param("<ol type=i><li><p>a</p><li>b</ol>", "i. a\n\n  ii. b", id="Roman numerals"),
        pytest.param(
            "on <time>2 May</time> the <BUTTON type=button>red</BUTTON> <label>one</label> opened",
            "on 2 May the red one opened",
            id="buttons and labels",
        ),
        pytest.param(
            "<figure><blockquote>a</blockquote><pre>b\n  c</pre></figure>",
            "a\nb\n  c",
            id="quotes and code in a figure",
        ),
        pytest.param(
            "<table><tr><td><pre>b\n  c</pre></td><td>d</td></tr></table>", "b\n  c\n\t\td", id="code in a table"
        ),
    ],
)
def test_markup_with_a_meaning(markup: str, text: str) -> None:
    found, _ = read(part(markup.encode(), "text/html; charset=utf-8"))
    assert found.text.strip() == text


@pytest.mark.parametrize(
    ("content", "kind", "encoding", "text", "counts"),
    [
        pytest.param("ü".encode("latin-1"), "text/plain; charset=iso-8859-1", "8bit", "ü", {}, id="latin-1"),
        pytest.param(b"\xfc", "text/plain", "8bit", "ü", {"lenient.charset": 1}, id="no charset, no UTF-8"),
        pytest.param("ü".encode(), "text/plain; charset=us-ascii", "8bit", "ü", {"lenient.charset": 1}, id="wrong"),
        pytest.param("ü".encode(), "text/plain; charset=x-no", "8bit", "ü", {"lenient.charset": 1}, id="unknown"),
        pytest.param(b"a-", "text/plain; charset=punycode", "8bit", "a-", {"lenient.charset": 1}, id="no charset"),
        pytest.param(
            "Вчера мы гуляли по берегу".encode("koi8-r"),
            "text/plain",
            "8bit",
            "Вчера мы гуляли по берегу",
            {"lenient.charset": 1},
            id="no charset, Russian",
        ),
        pytest.param(b"00", "text/plain; charset=hex", "8bit", "00", {"lenient.charset": 1}, id="no text"),
        pytest.param(b"+2AA-", "text/plain; charset=utf-7", "8bit", "+2AA-", {"lenient.charset": 1}, id="half"),
        pytest.param(b"aGk", "text/plain", "base64", "hi", {}, id="no padding"),
        pytest.param(b"a", "text/plain", "base64", "", {"lenient.encoding": 1}, id="no base64"),
        pytest.param(b"x", "multipart/mixed", "8bit", "", {"lenient.mime": 1}, id="no boundary"),
        pytest.param(b"--b\n\nx", "multipart/mixed; boundary=b", "8bit", "x", {}, id="cut short"),
        pytest.param(b"a b \nc", "text/plain; format=flowed", "8bit", "a b c", {}, id="flowed"),
        pytest.param(
            b"a \n-- \nme", "text/plain; format=flowed", "8bit", "a \n-- \nme", {}, id="flowed, with a signature"
        ),
        pytest.param(
            b"a\n From b\n   c\n > d", "text/plain; format=flowed", "8bit", "a\nFrom b\n  c\n > d", {}, id="stuffed"
        ),
        pytest.param(b"a \nb\n-- \nann", "text/plain; format=flowed", "8bit", "a b\n-- \nann", {}, id="a signature"),
        pytest.param(b"<a>" * 50_001, "text/html", "8bit", "", {"lenient.mime": 1}, id="tags without end"),
    ],
)
def test_what_is_stated_and_what_is_there(
    content: bytes, kind: str, encoding: str, text: str, counts: dict[str, int]
) -> None:
    found, told = read(part(content, kind, encoding))
    assert (found.text, told) == (text, counts)


@pytest.mark.parametrize(
    ("content", "counts"),
    [
        pytest.param(
            b"".join(part(b"--%d\n" % depth, f"multipart/mixed; boundary={depth}") for depth in range(1000)),
            {"lenient.mime": 1},
            id="1,000 deep",
        ),
        pytest.param(
            part(b"--b\n\nx\n" * 500_000, "multipart/mixed; boundary=b"), {"lenient.mime": 1}, id="500,000 parts"
        ),
        pytest.param(part(b"--b" * 1_000_000, "multipart/mixed; boundary=b"), {}, id="one line of marks"),
        pytest.param(
            part(b"--bc\n" * 2_000_000, "multipart/mixed; boundary=b"), {"lenient.mime": 1}, id="2 million longer marks"
        ),
        pytest.param(b"To: " + b"x" * 20_000_000, {"lenient.long_head": 1}, id="a header of 20 MB"),
        pytest.param(b"To: x\n" * 2_000_000, {"lenient.long_head": 1}, id="2 million headers"),
        pytest.param(b"Subject: " + b"=?q?q?" * 1_000_000, {"lenient.long_head": 1}, id="words without end"),
        pytest.param(part(b"<div>" * 50_000, "text/html"), {}, id="50,000 elements deep"),
    ],
)
def test_harm(content: bytes, counts: dict[str, int]) -> None:
    found, told = read(content)
    assert told == counts
    assert len(found.text) <= 3 * MAX_PARTS


def test_depth_up_to_the_limit() -> None:
    nested = part(b"Deep.")
    for depth in range(MAX_DEPTH):
        nested = part(b"--%d\n" % depth + nested + b"\n--%d--\n" % depth, f"multipart/mixed; boundary={depth}")
    assert read(nested)[0].text == "Deep."


def test_what_is_no_message() -> None:
    assert read_message(b"Title: x\n\ntext", ReadTally()) is None
    assert read_message(b"", ReadTally()) is None


@pytest.mark.parametrize(
    ("content", "texts", "attachments"),
    [
        pytest.param(
            b"--b\nContent-Type: text/plain\n\nOne.\n--b\nContent-Type: text/html\n\n<p>1</p>\n--b--\n",
            ["One."],
            0,
            id="alternatives",
        ),
        pytest.param(
            b"This is MIME.\n\n--b\nContent-Type: text/plain\n\nOne.\n--b\nContent-Type: image/png\n\nx",
            ["One."],
            1,
            id="preamble",
        ),
        pytest.param(
            b"See:\n--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\nT25lLg==\n--b--",
            ["See:", "One."],
            0,
            id="text before",
        ),
        pytest.param(b"--b\nContent: x", ["--b\nContent: x"], 0, id="no part"),
        pytest.param(b"a=C3=A9=\nb", ["a\xe9b"], 0, id="an encoding that is not stated"),
    ],
)
def test_parts_that_an_archive_kept(content: bytes, texts: list[str], attachments: int) -> None:
    found = read_message(b"To: a\n\n" + content, ReadTally())
    assert found is not None
    assert (found.texts, found.attachments) == (texts, attachments)


def test_a_digest() -> None:
    letters = b"--b\n\nSubject: 1\n\nOne.\n--b\nContent-Type: message/rfc822\n\nSubject: 2\n\nTwo.\n--b--\n"
    found, _ = read(part(letters, "multipart/digest; boundary=b"))
    assert found.texts == ["One.", "Two."]


@pytest.mark.parametrize(
    ("markup", "text", "own"),
    [
        pytest.param(
            "a<blockquote type=cite>b<blockquote>c</blockquote>d</blockquote>e", "a\n\n>\n\ne", "a\n\ne", id="cited"
        ),
        pytest.param('a<blockquote class="gmail_quote">b', "a\n\n>", "a", id="without an end"),
        pytest.param("a<blockquote>b</blockquote>c", "a\nb\nc", "a\nb\nc", id="not cited"),
    ],
)
def test_quotes_in_html(markup: str, text: str, own: str) -> None:
    found = read(part(markup.encode(), "text/html"))[0]
    assert found.text == text
    assert own_text(found.text, reply=found.reply) == own, "also where no header names the message that is quoted"


@pytest.mark.parametrize(
    ("header", "reply"),
    [
        pytest.param("In-Reply-To: <1@a.org>", True, id="in reply to"),
        pytest.param("References: <1@a.org>", True, id="references"),
        pytest.param("Subject: [Talk] Re: barley", True, id="subject"),
        pytest.param("Subject: AW: Gerste", True, id="subject, German"),
        pytest.param("Subject: reap: barley", False, id="another word"),
    ],
)
def test_replies(header: str, reply: bool) -> None:
    assert read(f"To: a\n{header}\n\nSo.".encode())[0].reply == reply
