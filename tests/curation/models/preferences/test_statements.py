"""Headers and metadata as written, and what they say."""

from curation.models.preferences.statements import HEADERS, META, METAS, Statement, of_headers, read_statement, written
from tests.support import table

AGENTS = ("GPTBot",)


def test_only_statements_are_kept_each_on_its_line() -> None:
    header = {"x-robots-tag": "noai,\n noimageai", "server": "x", "tdm-policy": "https://a/" + "b" * 2000}
    assert written(header, HEADERS) == "x-robots-tag: noai, noimageai\ntdm-policy: https://a/" + "b" * 990
    assert written({"robots": "noai"}, METAS, META) == "meta robots: noai"
    assert written({"server": "x", "tdm-policy": " "}, HEADERS) is None
    assert written({"tdm-policy": "a\ud800b"}, HEADERS) == "tdm-policy: ab"


def test_terms_of_use_in_a_header() -> None:
    link = '</l>; rel="license"; type="application/rsl+xml", <a.css>; rel=preload'
    assert of_headers({"link": link, "rsl": "x", "tdm-reservation": "1"}) == "tdm-reservation: 1\nrsl: /l"
    assert of_headers({"rsl": "x", "link": "<a>; rel=license"}) is None


@table(
    ("lines", "statement"),
    {
        "metadata": ("meta robots: NoAI, noimageai", Statement(noai=True, noimageai=True)),
        "a header": ("x-robots-tag: noindex, noai", Statement(noai=True)),
        "for one of the crawlers": ("x-robots-tag: other: noindex, gptbot: noai", Statement(noai=True)),
        "for another": ("x-robots-tag: other: noai, noimageai", Statement()),
        "a directive with a value names nobody": (
            "x-robots-tag: unavailable_after: 2025-01-01, noai",
            Statement(noai=True),
        ),
        "a word that holds it": ("meta robots: noairports", Statement()),
        "signals": ("content-signal: search=yes,ai-train=no", Statement(content_signal=False)),
        "usage": ("content-usage: train-ai=y", Statement(content_usage=True)),
        "a longer name": ("content-usage: no-train-ai=n, train-ai-x=n", Statement()),
        "reserved": (
            "tdm-reservation: 1\ntdm-policy: https://a/b",
            Statement(tdm_reservation=True, tdm_policy="https://a/b"),
        ),
        "metadata goes first": ("tdm-reservation: 1\nmeta tdm-reservation: 0", Statement(tdm_reservation=False)),
        "an error says nothing": ("tdm-reservation: yes", Statement()),
        "terms of use": (
            "rsl: https://a/l /m\nmeta rsl: /m\nmeta rsl-terms: refused /",
            Statement(rsl=("/m", "https://a/l"), rsl_terms="refused /"),
        ),
        "nothing": ("", Statement()),
    },
)
def test_statements(lines: str, statement: Statement) -> None:
    assert read_statement(lines, AGENTS) == statement
