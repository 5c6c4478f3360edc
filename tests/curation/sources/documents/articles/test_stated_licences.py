"""Licences that articles state: by address, or in words."""

import pytest
from lxml import etree

from curation.sources.documents.articles.stated_licences import stated_licence

BY = "http://creativecommons.org/licenses/by/4.0/"


def licence(words: str, attributes: str = "") -> str:
    return f"<permissions><license {attributes}><license-p>{words}</license-p></license></permissions>"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        pytest.param(licence("Open.", f'xlink:href="{BY}"'), BY, id="an address"),
        pytest.param(licence(f'See <ext-link xlink:href="{BY}">this</ext-link>.'), BY, id="a link"),
        pytest.param(licence(f"This is free ({BY})."), BY, id="an address in words"),
        pytest.param(licence(f"<ali:license_ref>{BY}</ali:license_ref>"), BY, id="a reference"),
        pytest.param(
            licence("Under the Creative Commons Attribution License, which permits any use."), "CC-BY", id="in words"
        ),
        pytest.param(licence("A Creative Commons Attribution 4.0 International licence."), "CC-BY-4.0", id="a version"),
        pytest.param(licence("Creative Commons Attribution License (CC BY 4.0)."), "CC-BY-4.0", id="said twice"),
        pytest.param(
            licence("The Creative Commons Attribution Non-Commercial License 3.0."), "CC-BY-NC-3.0", id="a limit"
        ),
        pytest.param(
            licence("Creative Commons Attribution-NonCommercial-NoDerivs 3.0 Unported License."),
            "CC-BY-NC-ND-3.0",
            id="two limits",
        ),
        pytest.param(
            licence("Made available under the Creative Commons CC0 public domain dedication."),
            "CC0-1.0",
            id="none kept",
        ),
        pytest.param(
            licence("Creative Commons Attribution License, for non-commercial use."),
            "Creative Commons Attribution License, for non-commercial use.",
            id="a limit in other words",
        ),
        pytest.param(licence("All rights reserved."), "All rights reserved.", id="other words"),
        pytest.param(
            licence("Ours.", 'xlink:href="http://a.example/terms"'), "http://a.example/terms", id="other terms"
        ),
        pytest.param(
            "<copyright-statement>Doe. Under the Creative Commons Attribution License.</copyright-statement>",
            "CC-BY",
            id="beside the owner",
        ),
        pytest.param(
            "<permissions><copyright-statement>© Doe</copyright-statement></permissions>", None, id="an owner"
        ),
    ],
)
def test_a_licence(stated: str, expected: str | None) -> None:
    names = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ali="http://www.niso.org/schemas/ali/1.0/"'
    assert stated_licence(etree.fromstring(f"<article-meta {names}>{stated}</article-meta>")) == expected
