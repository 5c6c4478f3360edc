"""What is an author's own in a message, and what is not."""

import pytest

from curation.sources.documents.mail.quotes import own_text


@pytest.mark.parametrize(
    ("text", "own"),
    [
        pytest.param("Yes.\n\n> Really?\n>> No.\n\nYes!", "Yes.\n\nYes!", id="quotes"),
        pytest.param("On Thu, Jan 2, 2020, Ann wrote:\n\n> Why?\n\nSo.", "So.", id="who wrote the quote"),
        pytest.param("On Thu, Jan 2, 2020, Ann\n<ann@a.org> wrote:\n> Why?\nSo.", "So.", id="on two lines"),
        pytest.param("Ann wrote:\n> Why?\nSo.", "So.", id="without a date"),
        pytest.param("Am 2.1.2020 um 3 Uhr schrieb Ann:\n> Wer?\nIch.", "Ich.", id="German"),
        pytest.param("Le 2 janv. 2020, Ann a écrit :\n> Qui ?\nMoi.", "Moi.", id="French"),
        pytest.param("So.\n\nOn Jan 2, 2020, Ann wrote:\nWhy?\nWho?", "So.", id="a quote without marks"),
        pytest.param("As Keats wrote:\nA thing of beauty", "As Keats wrote:\nA thing of beauty", id="no quote of mail"),
        pytest.param("I write:\n1. this", "I write:\n1. this", id="a colon"),
        pytest.param("So.\n-- \nAnn\nBoss", "So.", id="signature"),
        pytest.param("a --\n--- b\n-- c", "a --\n--- b\n-- c", id="dashes"),
        pytest.param("So.\n-----Original Message-----\nFrom: b", "So.", id="original message"),
        pytest.param("So.\n---------- Forwarded message ---------\nFrom: b", "So.", id="forwarded message"),
        pytest.param(
            f"So.\nAnn{'_' * 47}\nTalk mailing list\nT@a.org", "So.\nAnn", id="a footer without a line of its own"
        ),
        pytest.param(f"So.\n {'_' * 47}\nTalk mailing list\nT@a.org", "So.", id="a footer behind a blank"),
        pytest.param(
            "So.\n\nAnn <a@a.org>\nSent by: t@a.org\n10/26/2006 12:47 PM\n\nTo\nB <b@a.org>\n\nSubject\nRe: c\n\nWhy?",
            "So.",
            id="Lotus Notes",
        ),
        pytest.param("So.\nSent by: t@a.org\nand more", "So.\nSent by: t@a.org\nand more", id="who sent it"),
        pytest.param("So.\n____\nx", "So.\n____\nx", id="a line"),
        pytest.param(f"So.\n{'_' * 47}\nTalk mailing list\nT@a.org", "So.", id="footer of a list"),
        pytest.param(f"So.\n{'-' * 69}\nTo unsubscribe, e-mail: x", "So.", id="another footer"),
        pytest.param("So.\nFrom: Ann\nSent: Thursday, 3:04\nTo: b", "So.", id="Outlook's headers"),
        pytest.param("From: here\nto there", "From: here\nto there", id="a colon in a line"),
        pytest.param("Ann writes:\n > Why?\n\nSo.", "So.", id="quotes behind a space"),
        pytest.param("Ann wrote:\n| Why?\n| Who?\nSo.", "So.", id="another mark"),
        pytest.param("AE> Why?\nAE> Who?\nAE> When?\nSo.", "So.", id="initials"),
        pytest.param("So:\n>>> 1 + 1\n2", "So:\n>>> 1 + 1\n2", id="a prompt"),
        pytest.param("So.\n-- \n" + "x\n" * 19 + "\n> Why?\n\ny", "So.", id="a long signature"),
        pytest.param("So.\n--\nAnn\n\n" + "x\n" * 20, "So.\n\n" + "x\n" * 19 + "x", id="a patch below a signature"),
        pytest.param("So.\n--\n\n" + "x\n" * 7, "So.\n\n" + "x\n" * 6 + "x", id="a rule"),
        pytest.param("On 2 Jan 2020 at 3:04 Ann wrote:\nSo.", "So.", id="nothing above an attribution"),
        pytest.param("-----Original Message-----\nFrom: b\nTo: c\nDate: d\n\nSo.", "So.", id="only forwarded"),
        pytest.param("a\n____\nFrom: b\nTo: c\nDate: d\n\nSo.", "a", id="a rule above headers"),
        pytest.param("a\nAnn <a@a.org> writes:\n\n\tWhy?\n\tWho?\n\nSo.", "a\nSo.", id="a quote that is indented"),
        pytest.param("Am 2.1.2020 17:48 schrieb Ann <a@a.org\n>:\n> Wer?\nIch.", "Ich.", id="wrapped before its end"),
        pytest.param("a\n-------------- next part --------------\nb\n-- \nAnn", "a\n\nb", id="two parts"),
        pytest.param("a  \n\n\n\nb\r\n", "a\n\nb", id="blanks"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_own(text: str, own: str) -> None:
    assert own_text(text, reply=True) == own


@pytest.mark.parametrize(
    ("text", "own"),
    [
        pytest.param("So:\n> library(x)", "So:\n> library(x)", id="prompts"),
        pytest.param("Ann wrote:\n> library(x)\nSo.", "So.", id="who wrote it"),
        pytest.param("> Why is it so?\n> And since when\n> do they say it?\nSo.", "So.", id="prose"),
    ],
)
def test_a_message_that_replies_to_none(text: str, own: str) -> None:
    assert own_text(text, reply=False) == own


@pytest.mark.soak
@pytest.mark.parametrize(
    "piece",
    ["--\n\n", "-- \nx\n", f"{'_' * 20}\n", "Sent from x\n", "a wrote:\n| x\n", "begin 644 x\nM\n", "> a:\n", ":\n"],
)
def test_long_repetitions(piece: str) -> None:
    assert len(own_text(piece * 200_000, reply=True)) <= len(piece) * 200_000
