"""Characters that stand where no writing system puts them, each kind of neighbours at its limit."""

import pyarrow as pa
import pytest

from curation.text.garbled import garbled_shares


def count(text: str) -> int:
    share = float(garbled_shares(pa.array([text], pa.large_string()))[0])
    return round(share * len("".join(text.split())))


@pytest.mark.parametrize(
    ("text", "garbled"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" \n", 0, id="whitespace"),
        pytest.param("plain iPhone (c) 100% ~ x", 0, id="ASCII"),
        pytest.param("naïve café’s “été” 20 °C §5 £3 m²", 0, id="signs and accents"),
        pytest.param("größe Häärä créée", 0, id="two accented letters"),
        pytest.param("aéèë", 3, id="three accented letters"),
        pytest.param("Ìåëü", 4, id="four accented letters"),
        pytest.param("Ã¼", 2, id="letter and sign"),
        pytest.param("fÃ¼r", 3, id="small, capital and sign"),
        pytest.param("é ¼", 0, id="letter, space and sign"),
        pytest.param("¼é", 2, id="sign and letter"),
        pytest.param("¿é", 0, id="a sign that precedes"),
        pytest.param("a\ufffdb", 1, id="replacement character"),
        pytest.param("a\x92b", 1, id="C1 control"),
        pytest.param("a\x85b", 0, id="next line"),
        pytest.param("\ue000\uf8ff", 2, id="private use"),
        pytest.param("cafй", 2, id="Latin and Cyrillic"),
        pytest.param("Калi", 0, id="Latin i in Cyrillic"),
        pytest.param("ăçта кĕр адæм", 0, id="accented Latin letters in Cyrillic"),
        pytest.param("κείµενο µέσα", 0, id="micro sign in Greek"),
        pytest.param("éµ", 2, id="micro sign behind another letter"),
        pytest.param("αб", 2, id="Greek and Cyrillic"),
        pytest.param("iPhone-а", 0, id="a hyphen between"),
        pytest.param("ПРИВЕТ Привет", 0, id="capitals"),
        pytest.param("пРИ", 3, id="small, then capitals"),
        pytest.param("сПб", 2, id="one capital within"),
        pytest.param("fŸr", 2, id="accented capital within"),
        pytest.param("λόγος", 0, id="final sigma"),
        pytest.param("ςα", 2, id="final sigma within"),
        pytest.param("שלום", 0, id="final mem"),
        pytest.param("םא", 2, id="final mem within"),
        pytest.param("ไปเที่ยว", 0, id="Thai"),
        pytest.param("ก เก ้", 1, id="Thai vowel without a consonant"),
        pytest.param("我们用Python写", 0, id="Han and Latin"),
        pytest.param("鍦ㄧ嚎", 1, id="rare Han"),
        pytest.param("常见的大水鸟有鹈鹕和天鹅，它们都会捕鱼", 0, id="a few rare Han"),
        pytest.param("常见的大水鸟有鹈鹕和白鹭，它们都会捕鱼", 1, id="one rare Han more"),
        pytest.param("佢哋嘅", 0, id="Cantonese"),
        pytest.param("漢ｱ", 2, id="Han and half-width katakana"),
        pytest.param("–µ–Ω—é", 3, id="dashes and sign, as Cyrillic looks in Mac Roman"),
        pytest.param("a—é – ½", 0, id="dashes"),
        pytest.param("╨п", 2, id="box and letter"),
        pytest.param("│ a", 0, id="box"),
    ],
)
def test_garbled_characters(text: str, garbled: int) -> None:
    assert count(text) == garbled


def test_shares_are_of_characters_that_are_no_whitespace_and_alike_alone_and_among_others() -> None:
    texts = ["Ã¼ aa", None, "é", "¼", "Ã¼ aa"]
    assert garbled_shares(pa.array(texts, pa.large_string())).tolist() == [0.5, 0.0, 0.0, 0.0, 0.5]
