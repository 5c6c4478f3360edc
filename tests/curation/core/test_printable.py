"""Control characters of texts: replaced for a screen, escaped in JSON."""

import json

import pytest

from curation.core.printable import coloured_lines, escaped, printable, printable_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain — 中文 é 😀", "plain — 中文 é 😀"),
        ("\x1b[2Jgone", "\ufffd[2Jgone"),
        ("a\x9b2Jb\x85", "a\ufffd2Jb\ufffd"),
        ("abc\u202edef\u2066", "abc\ufffddef\ufffd"),
        ("a\nb\tc", "a\ufffdb\ufffdc"),
    ],
)
def test_one_line(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_keep_their_breaks_and_blanks() -> None:
    assert printable_lines("a\n\tb\u00a0c\x07\x1b[31md") == "a\n\tb\u00a0c\ufffd\ufffd[31md"


def test_colours_stay_unless_they_hide() -> None:
    assert coloured_lines("\x1b[36m(pid=1)\x1b[0m\n") == "\x1b[36m(pid=1)\x1b[0m\n"
    assert coloured_lines("\x1b[8mhidden\x1b[30m\x1b[2J") == "\ufffd[8mhidden\ufffd[30m\ufffd[2J"


def test_json_means_the_same() -> None:
    value = {"a\x9b\u202e": "\x1b \x7f \u2028 \U000e0041 \ud800 é\n"}
    text = escaped(json.dumps(value, indent=2, ensure_ascii=False))
    assert text == '{\n  "a\\u009b\\u202e": "\\u001b \\u007f \\u2028 \\udb40\\udc41 \\ud800 é\\n"\n}'
    assert json.loads(text) == value
