"""Marks of superscripts and list numbers: what is written in their places, alone, nested and damaged."""

import pytest

from curation.text.html.inline_marks import (
    ENDED,
    LINKED,
    LOWERED,
    MAX_RAISED,
    MAX_WITHIN,
    NUMBER,
    NUMBERED,
    RAISED,
    numbered,
    raised,
    resolved,
    spared,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("no marks", "no marks", id="no marks"),
        pytest.param(f"3 × 10{raised('6')} people", "3 × 10^6 people", id="an exponent"),
        pytest.param(f"m{raised('2', linked=True)}.", "m.", id="a link to a note"),
        pytest.param(f"2{raised('2' + raised('n'))}", "2^(2^n)", id="one within one"),
        pytest.param(f"x{raised('2')}y{raised('3')}", "x^2y^3", id="two in a word"),
        pytest.param(f"A mill {raised('[1]')}", "A mill", id="a note behind a space at the end"),
        pytest.param(f"A mill {raised('[1]')} turned", "A mill turned", id="a note between spaces"),
        pytest.param(f"A mill {raised('[1]')}{raised('[2]')}, turned", "A mill, turned", id="two notes"),
        pytest.param(f"A mill {raised('[1]')}turned", "A mill turned", id="a note before a word"),
        pytest.param(f"10\n{raised('14')}C", "10\n14C", id="the line before does not count"),
        pytest.param(f"5{raised('1')}/{LOWERED}2 H{LOWERED}2O", "5 1/2 H2O", id="a mixed number and a formula"),
        pytest.param(f"25{raised('o')}C", "25°C", id="degrees"),
        pytest.param(f"1. {numbered('3')}Fix it.", "3. Fix it.", id="a number"),
        pytest.param(f"> - 1. {numbered('c')} Fix it.", "> - c. Fix it.", id="within a list"),
        pytest.param(f"• {numbered('4')}a\n- {numbered('')}b", "4. a\n- b", id="bullets"),
        pytest.param(f"{numbered('4')}a", "4. a", id="no marker of the layout"),
        pytest.param(f"1. {numbered('4')}\n2. b", "4.\n2. b", id="an item without text"),
        pytest.param(f"10{RAISED}6", "106", id="never ended"),
        pytest.param(f"10{ENDED}6{LINKED}", "106", id="never begun"),
        pytest.param(f"a{NUMBER}b{NUMBER}{NUMBERED}", "ab-", id="numbers never ended"),
    ],
)
def test_by_hand(text: str, expected: str) -> None:
    assert resolved(text) == expected


def test_long_superscripts_are_kept() -> None:
    assert resolved(f"10{raised('6' * MAX_RAISED)}") == f"10^{'6' * MAX_RAISED}"
    assert resolved(f"10{raised('6' * (MAX_RAISED + 1))}") == f"10{'6' * (MAX_RAISED + 1)}"
    assert resolved("10" + raised("6\n")) == "106\n"


def test_the_deepest_superscripts() -> None:
    def nested(depth: int) -> str:
        return f"2{raised(nested(depth - 1))}" if depth else "2"

    assert resolved(nested(MAX_WITHIN)).count("^") == MAX_WITHIN
    assert resolved(nested(MAX_WITHIN + 1)).count("2") == MAX_WITHIN + 2


def test_many_marks_take_no_longer() -> None:
    for text in (
        RAISED * 30_000 + ENDED * 30_000,
        f"a{RAISED}" * 30_000 + ENDED * 30_000,
        f"1{raised('2')}" * 2_000,
        f"a {raised('[1]')}" * 2_000,
        raised("") * 2_000,
        NUMBER * 30_000,
        f"1{NUMBER}" * 30_000,
    ):
        assert not {RAISED, ENDED, NUMBER} & {*resolved(text)}


def test_a_reference_to_a_mark_with_many_zeros_is_spared() -> None:
    reference = "&#" + "0" * 5_000 + "131070;"  # U+1FFFE, RAISED
    assert resolved(spared(f"a{reference}b")) == f"a{RAISED}b"
