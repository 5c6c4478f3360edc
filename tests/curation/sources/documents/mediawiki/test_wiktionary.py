"""Templates of the English Wiktionary."""

import pytest

from curation.sources.documents.mediawiki.wikitext import PlainWikitext


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("From {{inh|en|ang|bōc}}, {{der|en|xx|bo||beech}}.", "From Old English bōc, bo (“beech”)."),
        (
            "{{cog|de|Buch||book}}, {{m|la|liber|līber}}, {{l|en|tome|t=volume}}",
            "German Buch (“book”), līber, tome (“volume”)",
        ),
        ("{{m|liber|lang=la}}, {{t+|fr|livre|m}}, {{t|de|Buch|alt=das Buch}}", "liber, livre, das Buch"),
        ("{{affix|en|a-|flare}}, {{suffix|Switzer|-land|lang=en}}", "a- + flare, Switzer + -land"),
        ("{{lb|en|literally|or|figuratively}} {{q|rare}} {{gloss|a, b}}", "(literally or figuratively) (rare) (a, b)"),
        ("# {{plural of|en|book}}", "1. plural of book"),
        ("{{w|Ada|her}}, {{ux|en|We read.}} {{quote-book|en|passage=They read.}}", "her, We read. They read."),
        ("From {{etyl|la|en}} {{term|liber|lang=la}}.", "From Latin liber."),
        ("{{unknown|en|x}} a", "a"),
    ],
)
def test_a_template(wikitext: str, text: str) -> None:
    article = PlainWikitext("en", wiktionary=True).plain(wikitext)
    assert article is not None
    assert article.text == text


def test_other_wikis_have_other_templates() -> None:
    article = PlainWikitext("it", wiktionary=False).plain("{{m|5|u=km}}")
    assert article is not None
    assert article.text == "5 km"
