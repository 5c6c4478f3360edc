"""What archives and lists add to a message."""

import pytest

from curation.sources.documents.mail.list_marks import has_marks, parts, without_footer

NEXT = "-------------- next part --------------"
STUB = "A non-text attachment was scrubbed...\nName: x.png\nType: image/png\nSize: 12 bytes\nDesc: x\nURL: <https://a.org/x>"
LETTER = "Date: Thu, 2 Jan 2020\nFrom: Ann\nSubject: x\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"a\n{NEXT}\n{STUB}\nb", ["a", "b"], id="an attachment"),
        pytest.param(f"a\n{NEXT}\nb\nc", ["a", "b\nc"], id="a part of text"),
        pytest.param(
            "An HTML attachment was scrubbed...\nURL: <https://a.org/\nx.html>\nb", ["b"], id="HTML, a wrapped URL"
        ),
        pytest.param(f"Skipped content of type multipart/mixed{NEXT}\n{STUB}", ["", ""], id="nothing else"),
        pytest.param("Skipped content of type multipart/alternative\n", [""], id="alternatives that are left out"),
        pytest.param(
            f"a\n{'-' * 14} nächster Teil {'-' * 14}\nEin Dateianhang mit Binärdaten\nURL: x", None, id="German"
        ),
        pytest.param("a\n\t[[alternative HTML version deleted]]\nb", ["a\nb"], id="R"),
        pytest.param("see [[Barley]]", ["see [[Barley]]"], id="a link of a wiki"),
        pytest.param(f"{'-' * 20}\nab {'-' * 20}", [f"{'-' * 20}\nab {'-' * 20}"], id="dashes"),
        pytest.param(
            f"Today's Topics:\n\n1. x\n\n{'-' * 70}\n\nMessage: 1\n{LETTER}One.\n\n"
            f"{'-' * 30}\n\nMessage: 2\n{LETTER}Two.\n\n"
            f"{'-' * 30}\n\nSubject: Digest Footer\n\nx\n{'-' * 30}\n\nEnd of Talk Digest, Vol 1\n****",
            ["", "\nOne.\n", "\nTwo.\n", f"\nx\n{'-' * 30}\n"],
            id="a digest",
        ),
    ],
)
def test_parts(text: str, expected: list[str] | None) -> None:
    assert has_marks(text)
    assert ["\n".join(part) for part in parts(text.split("\n"))] == (
        expected or ["a", "Ein Dateianhang mit Binärdaten\nURL: x"]
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(f"a\n{'_' * 47}\nTalk mailing list\nT@a.org", "a", id="Mailman"),
        pytest.param("a\n----\nPlease read the posting guide http://a.org", "a", id="R"),
        pytest.param("a\n-\nTo unsubscribe from this list: send the line", "a", id="Majordomo"),
        pytest.param("a\n--~--~---~--~\nYou received this message because", "a", id="Google"),
        pytest.param(f"\n{'*' * 40}\nJoin our mailing list\n" + "b\n" * 13, None, id="a rule above the text"),
        pytest.param(f"\n{'_' * 40}\nTalk mailing list", "", id="nothing but a footer"),
        pytest.param("a\nYahoo! Groups Links\n\n<*> To visit", "a", id="Yahoo"),
        pytest.param(f"a\n{'_' * 50}\nAnything", "a", id="many underscores near the end"),
        pytest.param(f"a\n{'_' * 50}\n" + "b\n" * 13, None, id="many underscores above a text"),
        pytest.param("a\n----\nUnix\n=====\nb", None, id="headings"),
        pytest.param("a\n---\nThis automatic notification message was sent by b", "a", id="a notification"),
        pytest.param("a\n—\nReply to this email directly, view it on", "a", id="GitHub"),
        pytest.param(f"a\n      {'_' * 80}\nMake it your homepage", "a", id="an advert of Yahoo"),
        pytest.param("a\n—\nb", None, id="a dash"),
        pytest.param("a\n----\nThis SF.Net email is sponsored by b\nc\n____\nd", "a", id="SourceForge"),
        pytest.param("a\n--- You are receiving this mail because: ---\nb", "a", id="Bugzilla"),
        pytest.param("a\nSent from my iPhone\nb", "a\nb", id="a telephone"),
        pytest.param("Von meinem iPad gesendet", "", id="a telephone, German"),
        pytest.param(
            "Sent from my heart, and with all that belongs to it, since the summer of 1999 at the sea", None, id="words"
        ),
    ],
)
def test_footers(text: str, left: str | None) -> None:
    assert "\n".join(without_footer(text.split("\n"))).strip() == (text.strip() if left is None else left)
