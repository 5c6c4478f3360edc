"""Plain text of wikitext, template by template, the gaps that others leave, and marks that are never closed."""

import pytest

from curation.sources.mediawiki.unclosed import MAX_READ_AGAIN, read_again
from curation.sources.mediawiki.wikitext import PlainText, PlainWikitext, is_disambiguation


def made(wikitext: str, language: str = "en") -> PlainText:
    text = PlainWikitext(language, {"file", "datei", "category"}).plain(wikitext)
    assert text is not None
    return text


@pytest.mark.parametrize(
    ("language", "wikitext", "text"),
    [
        ("en", "{{convert|100|km|mi|2|abbr=on}} away", "100 km away"),
        ("en", "{{Cvt|10|to|20|C|F}}, {{convert|5|-|10|km|mi|abbr=on}}", "10 to 20 °C, 5–10 km"),
        ("en", "{{convert|5|ft|10|in|m|1}}, {{convert|3|x|4|m}}", "5 ft 10 in, 3 × 4 m"),
        ("en", "{{convert|3|by|4|by|5|cm2}}, {{convert|1,200|km2|sqmi}}", "3 by 4 by 5 cm², 1,200 km²"),
        ("en", "{{convert|7}}, {{convert|8|to}}, {{Template:convert|9|kg}}", "7, 8 to, 9 kg"),
        ("en", "x{{convert}}", "x"),
        ("en", "{{val|5.2|0.1|e=6|u=m}} 4{{e|6}}", "5.2 ± 0.1 × 10^6 m 4×10^6"),
        ("en", "{{frac|3|1|2}} and {{frac|2}}", "3 1/2 and 1/2"),
        (
            "en",
            "{{As of|2020|3}}, {{as of|2021|lc=y}}, {{as of|1999|5|since=y}}",
            "As of March 2020, as of 2021, Since May 1999",
        ),
        ("en", "{{circa|1850}}, {{HMS|Victory|1765|6}}, {{ship|USS|Maine}}", "c. 1850, HMS Victory, USS Maine"),
        ("en", "{{lang|fr|''bon''}} {{lang-de|Wort}} {{nowrap|1=a = b}}", "bon Wort a = b"),
        ("en", "{{formatnum:12345}} {{formatnum:12345|R}} {{formatnum: {{formatnum:6}} }}", "12345 12345 6"),
        ("en", "{{US$|5}} and {{nihongo|Tea|茶}}", "$5 and Tea (茶)"),
        ("en", "{{nowrap|{{convert|1|{{nowrap|m}}}}}}", "1 m"),
        ("de", "{{enS|Tea}}, {{Höhe|12|DE}}, {{Einheit|5|km}}", "englisch Tea, 12 m, 5 km"),
        ("fr", "{{unité|1234|km|2}} au {{s-|XIX|e}}, {{citation|oui}}", "1234 km² au XIXe siècle, « oui »"),
        ("es", "{{siglo|XX||s}} {{unidad|5|kg}}", "siglo XX 5 kg"),
        ("ru", "{{нп5|Чай|чая|en|Tea}} {{s|5 кг}}", "чая 5 кг"),
        ("ja", "{{仮リンク|茶|en|Tea}}{{読み仮名|茶|ちゃ}}", "茶茶（ちゃ）"),
        ("xx", "{{nowrap|any}} {{langx|fr|mot}}", "any mot"),
    ],
)
def test_a_template_of_a_sentence(language: str, wikitext: str, text: str) -> None:
    article = made(wikitext, language)
    assert article.text == text
    assert not article.dropped


@pytest.mark.parametrize(
    ("wikitext", "text", "gaps"),
    [
        ("At a height of {{x}}.", "At a height of .", 1),
        ("Of {{x}}, and {{x}} , too.", "Of , and  , too.", 2),
        ("Rome ({{x}}) is ( {{x}}; {{x}} ) old.", "Rome is old.", 2),
        ("A fact.{{x}} Another{{x}}, third {{x}} fact{{cn}}.", "A fact. Another, third  fact.", 0),
        ("{{x}}\nText.\n{{x}}{{x}}", "Text.", 0),
        ("Nothing () here, of , it\ue000&#xE000;", "Nothing () here, of , it", 0),
    ],
)
def test_gaps(wikitext: str, text: str, gaps: int) -> None:
    article = made(wikitext)
    assert (article.text, article.gaps) == (text, gaps)
    assert set(article.dropped) <= {"x", "cn"}


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        pytest.param(
            "[[A (b)|A]]s [[C]] [[:Category:D]] [[Datei:E.jpg|thumb|F]][[de:G]]", "As C Category:D", id="links"
        ),
        pytest.param("[[re:publica|the fair]] [[s:fr:Le Cid|text]]", "the fair text", id="links with a label"),
        pytest.param("a [https://b.org c] https://d.org [https://e.org]", "a c https://d.org", id="addresses"),
        pytest.param("a<ref>b</ref> <ref name=c />d<!-- e -->", "a d", id="references and comments"),
        pytest.param("<math>x^2 &lt; 3</math> and <chem>H2O</chem>", "$x^2 < 3$ and $H2O$", id="formulas"),
        pytest.param("<nowiki>[[a]]</nowiki> &amp; &nbsp;b&#xD800;", "[[a]] & \xa0b\ufffd", id="raw"),
        pytest.param("* a\n** b\n# c\n; d\n: e\n-- f", "- a\n  - b\n- c\n d\n e\n-- f", id="lists"),
        pytest.param("{|\n|+ T\n! a !! b\n|-\n| 1 || [[2]] {{nowrap|km}}\n|}", "T\na\tb\n1\t2 km", id="a table"),
        pytest.param("'''a''' ''b''<br/>c __NOTOC__", "a b\nc", id="marks"),
        pytest.param("{{{1|default}}} {{{2}}}", "default", id="arguments"),
        pytest.param("0\n== A ==\n=== B ===\nc\n== D ==\n=== E ===\n== F ==", "0\n\nA\n\nB\n\nc", id="headings"),
        pytest.param("== A ==\n{{x}}\n== B ==\nc", "B\n\nc", id="a heading above what is dropped"),
    ],
)
def test_what_is_text(wikitext: str, text: str) -> None:
    assert made(wikitext).text == text


@pytest.mark.parametrize(
    ("wikitext", "lists"),
    [("{{disambig}} a", True), ("{{Homonymie}}", True), ("a __DISAMBIG__", True), ("{{Info|disambig}}", False)],
)
def test_disambiguation(wikitext: str, lists: bool) -> None:
    assert is_disambiguation(wikitext) == lists


MARKS = ("{{", "{{a|", "[[", "[http://a ", "{|\n", "<b>", "<b ", "<li>", "<ref ", "<!--", "<math>", "{{a|[[b|<ref>")


@pytest.mark.parametrize("mark", MARKS)
def test_marks_that_are_never_closed_are_weighed(mark: str) -> None:
    assert 0 < read_again(mark * 10 + "end") <= MAX_READ_AGAIN
    assert made(mark * 10 + "end").text.endswith("end") or "<" in mark
    assert read_again(mark * 10_000) > MAX_READ_AGAIN


@pytest.mark.parametrize(
    "wikitext",
    [
        "<math>i<j {{</math> <!-- <b> --> <nowiki><b></nowiki> x <br> y<ref name=a /> ",
        "{{a|[[b|{{c}}]]}} {| class=d\n| <b>e</b>\n|} [http://f g] ",
        "''' }} ]] |} --> </b> < 3",
    ],
)
def test_what_is_closed_or_never_opened_costs_nothing(wikitext: str) -> None:
    assert read_again(wikitext * 1000) == 0


def test_what_a_closed_mark_leaves_open_within_is_weighed() -> None:
    assert read_again("{{a|<b>}}....") == len("<b>}}....")
