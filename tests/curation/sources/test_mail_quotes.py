"""What is an author's own in a message, and what is not."""

import pytest

from curation.sources.mail_quotes import own_text


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
        pytest.param("So.\n____\nx", "So.\n____\nx", id="a line"),
        pytest.param(f"So.\n{'_' * 47}\nTalk mailing list\nT@a.org", "So.", id="footer of a list"),
        pytest.param(f"So.\n{'-' * 69}\nTo unsubscribe, e-mail: x", "So.", id="another footer"),
        pytest.param("So.\nFrom: Ann\nSent: Thursday, 3:04\nTo: b", "So.", id="Outlook's headers"),
        pytest.param("From: here\nto there", "From: here\nto there", id="a colon in a line"),
        pytest.param("a  \n\n\n\nb\r\n", "a\n\nb", id="blanks"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_own(text: str, own: str) -> None:
    assert own_text(text) == own
