"""Parts, charsets and encodings of a message, also of one that is built to do harm."""

from email.message import EmailMessage

import pytest

from curation.core.protocols import ReadTally
from curation.sources.mail_message import MAX_DEPTH, MAX_PARTS, MailMessage, read_message


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
        pytest.param(b"00", "text/plain; charset=hex", "8bit", "00", {"lenient.charset": 1}, id="no text"),
        pytest.param(b"+2AA-", "text/plain; charset=utf-7", "8bit", "+2AA-", {"lenient.charset": 1}, id="half"),
        pytest.param(b"aGk", "text/plain", "base64", "hi", {}, id="no padding"),
        pytest.param(b"a", "text/plain", "base64", "", {"lenient.encoding": 1}, id="no base64"),
        pytest.param(b"x", "multipart/mixed", "8bit", "", {"lenient.mime": 1}, id="no boundary"),
        pytest.param(b"--b\n\nx", "multipart/mixed; boundary=b", "8bit", "x", {}, id="cut short"),
        pytest.param(b"a b \nc", "text/plain; format=flowed", "8bit", "a b c", {}, id="flowed"),
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
