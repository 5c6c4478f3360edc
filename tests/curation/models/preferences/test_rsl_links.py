"""Links to terms in RSL: in a header field, and which links are none."""

from curation.models.preferences.rsl_links import is_rsl, rsl_links
from tests.support import table

TYPE = 'type="application/rsl+xml"'


@table(
    ("header", "addresses"),
    {
        "one": (f'<https://a.example/rsl.xml>; rel="license"; {TYPE}', "https://a.example/rsl.xml"),
        "without quotes": ("</l>;rel=license;type=application/rsl+xml", "/l"),
        "in any case": ("</l>; REL=License; TYPE=Application/RSL+XML", "/l"),
        "among others": (f"<a.css>; rel=preload, </l>; {TYPE}; rel=license, <b>; rel=next", "/l"),
        "two": (f"</l>; {TYPE}; rel=license,</m>; {TYPE}; rel=license", "/l /m"),
        "twice the same": (f"</l>; {TYPE}; rel=license,</l>; {TYPE}; rel=license", "/l"),
        "several relations": (f'</l>; rel="nofollow license"; {TYPE}', "/l"),
        "a licence": ("<https://creativecommons.org/licenses/by/4.0/>; rel=license", ""),
        "by the name of the file": (
            "<https://a.example/terms/rsl.xml>; rel=license",
            "https://a.example/terms/rsl.xml",
        ),
        "another relation": (f"</l>; rel=alternate; {TYPE}", ""),
        "no address": (f"<>; rel=license; {TYPE}", ""),
        "nothing": ("", ""),
    },
)
def test_links_in_a_header(header: str, addresses: str) -> None:
    assert rsl_links(header) == addresses


@table(
    ("kind", "address", "rsl"),
    {
        "the type": ("application/rsl+xml", "/l", True),
        "with a parameter": (" Application/RSL+xml; charset=utf-8", "/l", True),
        "another type": ("text/html", "/rsl.xml", False),
        "no type": ("", "/l.xml", False),
        "the name": ("", "https://a.example/RSL.xml?v=1", True),
        "a longer name": ("", "/my-rsl.xml", False),
    },
)
def test_what_leads_to_terms(kind: str, address: str, rsl: bool) -> None:
    assert is_rsl(kind, address) == rsl
