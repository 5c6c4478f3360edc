"""Plain text of wikitext, template by template, the gaps that others leave, and marks that are never closed."""

import pytest

from curation.sources.documents.mediawiki.unclosed import MAX_READ_AGAIN, read_again
from curation.sources.documents.mediawiki.wikitext import ArticleText, PlainWikitext


def made(wikitext: str, language: str = "en") -> ArticleText:
    text = PlainWikitext(language, {"datei"}).plain(wikitext, "Tea")
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
        (
            "en",
            "10{{sup|6}}, 10{{e|6}}, H{{sub|2}}O, {{chem|H|2|O}}, {{chem|SO|4|2-}}",
            "10^6, 10×10^6, H2O, H2O, SO4^2-",
        ),
        ("en", "{{nowrap|10<sup>6</sup>}} and {{math|''x''{{sup|''n''}}}}", "10^6 and x^n"),
        ("en", "{{US$|5}} and {{nihongo|Tea|茶}}", "$5 and Tea (茶)"),
        ("en", "{{nowrap|{{convert|1|{{nowrap|m}}}}}}", "1 m"),
        ("en", "{{gaps|299|792|458}}, {{gaps|1|234}} {{val|299792458|u=m|up=s}}", "299 792 458, 1 234 299792458 m/s"),
        ("en", "{{val|1.2|+0.3|-0.1|s=%}}, {{val|5|p=~}}", "1.2 +0.3 -0.1%, ~5"),
        (
            "en",
            "{{chem2|SO4(2-)}}, {{chem2|2H2 + O2 -> 2H2O}}, {{chem2|CaCl2*2H2O}}",
            "SO4^2-, 2H2 + O2 → 2H2O, CaCl2·2H2O",
        ),
        (
            "en",
            "{{nihongo|Tea|茶|cha|note}}, {{nihongo||茶|cha}}, {{nihongo3|tea|茶|cha}}",
            "Tea (茶, cha, note), 茶 (cha), cha (茶)",
        ),
        (
            "en",
            "{{zh|t=茶|s=茶|p=chá}}, {{korean|hangul=차|rr=cha}}",
            "simplified Chinese: 茶; traditional Chinese: 茶; pinyin: chá, 차; RR: cha",
        ),
        (
            "en",
            "{{IPA-de|ˈteː}}, {{IPA|/tiː/}}, {{IPA|de|teː}}, {{IPAc-en|t|iː}}, {{respell|MAIR|kəl}}",
            "[ˈteː], /tiː/, [teː], /tiː/, MAIR-kəl",
        ),
        (
            "en",
            "{{dts|2010|5|3}}, {{start date|1999|12}}, {{birth date|May 1900}}",
            "3 May 2010, December 1999, May 1900",
        ),
        (
            "en",
            "{{quote|text=a b}} {{sort|x|y}} {{sortname|A|B}} {{lang|de|''Tee''}} {{ISBN|3}}",
            "a b y A B Tee ISBN 3",
        ),
        ("fr", "L''''Aude''' et l'''eau''", "L'Aude et l'eau"),
        ("it", "dell'''uomo'' e l'''il''' '''la'''", "delluomo e l'il la"),
        ("it", "'''Il''' tè dell'''uomo''\nè '''il ''tè", "Il tè dell'uomo\nè 'il tè"),
        ("de", "Tee ([{{IPA|teː}}], [[simple:Tea]]{{IPAc-en|icon|t|iː}})", "Tee ([teː], /tiː/)"),
        ("de", "{{enS|Tea}}, {{Höhe|12|DE}}, {{Einheit|5|km}}", "englisch Tea, 12 m, 5 km"),
        ("fr", "{{unité|1234|km|2}} au {{s-|XIX|e}}, {{citation|oui}}", "1234 km² au XIXe siècle, « oui »"),
        ("fr", "10{{exp|6}} et 1{{exp|er}}", "10^6 et 1er"),
        ("es", "{{siglo|XX||s}} {{unidad|5|kg}}", "siglo XX 5 kg"),
        ("ru", "{{нп5|Чай|чая|en|Tea}} {{s|5 кг}}", "чая 5 кг"),
        ("ja", "{{仮リンク|茶|en|Tea}}{{読み仮名|茶|ちゃ}}", "茶茶（ちゃ）"),
        ("ja", "{{ruby|水車|すいしゃ}}と{{ルビ|川|かわ}}", "水車と川"),
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
        (
            "Born ({{flagicon}}; in 1900{{cn}}), (in 1901; {{x}}) ''({{x}})'' ({{coord}}).",
            "Born (in 1900), (in 1901).",
            1,
        ),
        ("{{x}}\nText.\n{{x}}{{x}}", "Text.", 0),
        ("Nothing () here, of , it\ue000&#xE000;", "Nothing () here, of , it", 0),
    ],
)
def test_gaps(wikitext: str, text: str, gaps: int) -> None:
    article = made(wikitext)
    assert (article.text, article.gaps) == (text, gaps)
    assert set(article.dropped) <= {"x", "cn", "flagicon", "coord"}


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
        pytest.param("* a\n** b\n# c\n; d\n: e\n-- f", "- a\n  - b\n1. c\nd\ne\n-- f", id="lists"),
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
    ("wikitext", "text"),
    [
        pytest.param("3 × 10<sup>6</sup>, 10<sup>−5</sup>, H<sub>2</sub>O", "3 × 10^6, 10^−5, H2O", id="exponents"),
        pytest.param("''x''<sup>''n''</sup> and m&sup2;", "x^n and m²", id="in italics"),
        pytest.param("5<sup>1</sup>/<sub>2</sub> mills<sup>[1]</sup>.", "5 1/2 mills.", id="a fraction and a note"),
        pytest.param("m<sup>[[#n|a]]</sup>, m<sup>[[Two|2]]</sup>", "m, m^2", id="links"),
        pytest.param("10\n<sup>14</sup>C\n== <sup>3</sup>He ==\na", "10\n14C\n\n3He\n\na", id="without a base"),
        pytest.param("{|\n| 10<sup>6</sup> || 10 || <sup>14</sup>C\n|}", "10^6\t10\t14C", id="in a table"),
        pytest.param("<ruby>水車<rp>(</rp><rt>すいしゃ</rt><rp>)</rp></ruby>です", "水車です", id="ruby"),
        pytest.param("# a\n# b\n\n# c", "1. a\n2. b\n\n1. c", id="a blank line ends a list"),
        pytest.param("# a\n## b\n## c\n# d\n## e", "1. a\n  1. b\n  2. c\n2. d\n  1. e", id="lists in lists"),
        pytest.param("# a\n#* b\n#: c\n# d", "1. a\n  - b\n  c\n2. d", id="bullets and paragraphs in lists"),
        pytest.param("# a<br>b\n# c", "1. a\nb\n2. c", id="a line's end in an item"),
        pytest.param("# a <pre>x\n y</pre>\n# b", "1. a\nx\n y\n2. b", id="code in an item"),
        pytest.param("# a\nb\n# c", "1. a\nb\n1. c", id="a paragraph ends a list"),
        pytest.param("# a\n{{x}}\n# c", "1. a\n\n1. c", id="so does a template"),
        pytest.param("# a\n# <li value=7>b\n# c\n#<li value='3'>d</li>", "1. a\n7. b\n8. c\n3. d", id="values"),
        pytest.param("a\n<ol start=3>\n<li>b</li>\n<li>c</li>\n</ol>", "a\n\n3. b\n4. c", id="HTML that begins at 3"),
        pytest.param("<ol type=a reversed><li>b</li><li>c</li></ol>", "b. b\na. c", id="HTML backwards"),
        pytest.param("<ul><li>a<ol><li>b</li></ol></li></ul>", "- a\n  1. b", id="HTML lists in lists"),
        pytest.param("<ol> x <li>a</li> b<b>c</b> <li>d</li></ol>", "x\n1. a bc\n2. d", id="text between items"),
        pytest.param(
            "a <code>b  c</code> <syntaxhighlight inline>d  e</syntaxhighlight>", "a b  c d  e", id="in a line"
        ),
        pytest.param("a\n<pre>\n  ''b''\n\n\n\n c\n</pre>\nd", "a\n  ''b''\n\n\n\n c\nd", id="code as it is"),
        pytest.param("a\n\n<pre>b</pre>\n\nc", "a\n\nb\n\nc", id="code by itself"),
        pytest.param(
            "{|\n| a || <syntaxhighlight lang=py>if b:\n    c</syntaxhighlight> || d\n|-\n| e || f\n|}",
            "a\nif b:\n    c\nd\ne\tf",
            id="code in a table",
        ),
        pytest.param("* a\n* {{x}}\n* ({{x}}), \n# {{x}}\n* b", "- a\n- b", id="items without words"),
        pytest.param("* [[File:a.svg]] [http://a b]\n*  c", "- b\n- c", id="a picture before an item"),
        pytest.param("{|\n| a || \n* {{x}}\n* b\n|}", "a\t- b", id="items in a cell"),
        pytest.param("-{zh-hans:域; zh-hant:體}- -{H|zh:a}--{b}- -{zh-cn|c}- x-{{nobr|y}}", "域 b c x-y", id="scripts"),
        pytest.param("a<!-- b -->:{|\n| c\n|}", "a\n\nc", id="a table behind a comment"),
        pytest.param("{{PAGENAME}} is {{pagename}}", "Tea is Tea", id="the title"),
        pytest.param("on <time>2 May</time>{{efn|a}}", "on 2 May", id="times and notes"),
    ],
)
def test_markup_with_a_meaning(wikitext: str, text: str) -> None:
    assert made(wikitext).text == text


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


def test_deep_and_very_many_marks_are_weighed() -> None:
    assert read_again("<b>" * 90 + "</b>" * 90) == 0
    assert read_again("<b>" * 5000 + "</b>" * 5000) > MAX_READ_AGAIN
    assert PlainWikitext("en").plain("<ul><li>" * 5000) is None
    assert PlainWikitext("en").plain("* \n" * 100_002) is None
    assert made("* a\n" * 1000).text.count("- a") == 1000
