"""What PGP and uuencode put around or into a text."""

import pytest

from curation.sources.documents.mail.armour import has_armour, without_armour

SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n"
SIGNATURE = "-----BEGIN PGP SIGNATURE-----\nVersion: x\n\niEYEAR\n=abcd\n-----END PGP SIGNATURE-----"
KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQCNAi\n-----END PGP PUBLIC KEY BLOCK-----"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(f"{SIGNED}I agree.\n{SIGNATURE}", "\nI agree.", id="signed"),
        pytest.param(f"{SIGNED}So.\n- -- \nAnn\n- From here\n{SIGNATURE}\n- - x", None, id="escaped"),
        pytest.param(f"See:\n{KEY}\nSo.", "See:\nSo.", id="a key"),
        pytest.param(
            f"{SIGNED}- {KEY.replace(chr(10) + '-----E', chr(10) + '- -----E')}\nSo.\n{SIGNATURE}", "\nSo.", id="in it"
        ),
        pytest.param("-----BEGIN PGP MESSAGE-----\nabc\n\nThe text goes on.", "The text goes on.", id="without an end"),
        pytest.param("a\nbegin 644 x.gif\nM1TE&.#=A\n`\nend\nb", "a\nb", id="a file"),
        pytest.param("begin 644 x.gif\nAnd so on\nend", "begin 644 x.gif\nAnd so on\nend", id="no file"),
        pytest.param("begin with this", "begin with this", id="a word"),
        pytest.param("Put -----BEGIN PGP MESSAGE----- first", "Put -----BEGIN PGP MESSAGE----- first", id="in a line"),
    ],
)
def test_armour(text: str, left: str | None) -> None:
    expected = "\nSo.\n-- \nAnn\nFrom here\n- - x" if left is None else left
    assert "\n".join(without_armour(text.split("\n"))) == expected
    assert has_armour(text)


def test_a_text_without() -> None:
    assert not has_armour("To begin: -----")
