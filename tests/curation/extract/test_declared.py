"""Title, language and licence as a page states them."""

import pytest

from curation.extract.declared import declared
from tests.support import table


def head(inside: str, html: str = "<html>", body: str = "") -> bytes:
    return f"<!doctype html>{html}<head>{inside}</head><body>{body}</body></html>".encode()


@pytest.mark.parametrize(
    ("page", "title"),
    [
        pytest.param(head("<title>A &amp; B</title>"), "A & B", id="references"),
        pytest.param(head("<title>\n  A \t B\n</title>"), "A B", id="white space"),
        pytest.param(head("<TITLE lang=en>A</TITLE><title>B</title>"), "A", id="the first"),
        pytest.param(head("<!-- <title>A</title> --><title>B</title>"), "B", id="not in a comment"),
        pytest.param(head("<title> </title>"), None, id="blank"),
        pytest.param(head(f"<title>{'x' * 400}</title>"), "x" * 300, id="cut at 300 characters"),
        pytest.param(head("<title>A&#xD800;</title>"), "A\ufffd", id="a lone surrogate"),
        pytest.param(head("", body="<svg><title>A</title></svg>"), None, id="not that of a picture"),
    ],
)
def test_title(page: bytes, title: str | None) -> None:
    assert declared(page).title == title


@table(
    ("page", "language"),
    {
        "html lang": (head("", '<html lang="de-AT">'), "de-AT"),
        "xml:lang": (head("", "<html class=x xml:lang=de>"), "de"),
        "underscore": (head("", "<html lang='pt_BR'>"), "pt-BR"),
        "http-equiv": (head('<meta http-equiv="Content-Language" content="fr, en">'), "fr"),
        "html comes first": (head("<meta http-equiv=content-language content=fr>", "<html lang=de>"), "de"),
        "empty": (head("", '<html lang="">'), None),
        "a template left unfilled": (head("", '<html lang="{{ lang }}">'), None),
        "conditional comments": (
            b'<!--[if IE 7]><html lang="en"><![endif]--><!--[if gt IE 8]><!--><html lang="nl"><!--<![endif]-->',
            "nl",
        ),
        "html tag after text": (b'<p>a<html lang="de">', "de"),
    },
)
def test_language(page: bytes, language: str | None) -> None:
    assert declared(page).language == language


CC = "https://creativecommons.org/licenses"
RSL = "type=application/rsl+xml"


@table(
    ("page", "licence"),
    {
        "link": (head(f'<link rel="license" href="{CC}/by/4.0/">'), "CC-BY-4.0"),
        "a": (head("", body=f"<a rel='nofollow license' href='{CC}/by-nc-sa/3.0/us/'>x</a>"), "CC-BY-NC-SA-3.0-US"),
        "deed": (head("", body=f'<a href="{CC}/by/2.0/deed.en" rel=license>x'), "CC-BY-2.0"),
        "Dublin Core": (head(f'<meta name="DC.rights" content="See {CC}/by-nd/4.0/">'), "CC-BY-ND-4.0"),
        "stated in words": (head('<meta name="dcterms.license" content="MIT">'), "MIT"),
        "zero": (head("<link rel=license href=//creativecommons.org/publicdomain/zero/1.0/>"), "CC0-1.0"),
        "an address of its own": (head('<link rel=license href="/copyright">'), "/copyright"),
        "a mere link is no grant": (head("", body=f'<a href="{CC}/by/4.0/">photo</a> license'), None),
        "the word alone": (head("", body="all rights reserved, no license"), None),
        "terms of use in RSL": (head(f"<link rel=license {RSL} href=/rsl.xml>"), None),
        "terms beside a licence": (
            head(f'<link rel=license {RSL} href=/rsl.xml><link rel=license href="{CC}/by/4.0/">'),
            "CC-BY-4.0",
        ),
        "terms in the body": (head("", body=f"<a {RSL} rel=license href=/l>x</a>"), None),
        "terms by the name of the file": (head("<link rel=license href=/terms/rsl.xml>"), None),
        "another relation": (head(f'<link rel=stylesheet href="{CC}/by/4.0/">'), None),
    },
)
def test_licence(page: bytes, licence: str | None) -> None:
    assert declared(page).licence == licence


@table(
    ("page", "preferences"),
    {
        "robots": (head('<META NAME="Robots" CONTENT="noai, noimageai">'), "meta robots: noai, noimageai"),
        "several": (
            head("<meta name=robots content=noai><meta name=robots content=noindex>"),
            "meta robots: noai, noindex",
        ),
        "reserved": (
            head(
                '<meta name="tdm-policy" content="/p">'
                "<meta name=tdm-reservation content=1><meta name=tdm-reservation content=0>"
            ),
            "meta tdm-reservation: 1\nmeta tdm-policy: /p",
        ),
        "linked terms": (
            head(f"<link rel=license {RSL} href='https://a.example/l x'>"),
            "meta rsl: https://a.example/lx",
        ),
        "terms linked twice": (
            head(f"<link rel=license {RSL} href=/a><link rel='license x' {RSL} href=/b>"),
            "meta rsl: /a /b",
        ),
        "terms in a script": (
            head(
                f"<script {RSL}>\n<rsl><content><license><prohibits>all</prohibits></license></content></rsl></script>"
            ),
            "meta rsl-terms: refused /",
        ),
        "terms in a script that cannot be read": (head(f"<script {RSL}><rsl></script>"), "meta rsl-terms: unreadable"),
        "a script without an end": (head(f"<script {RSL}><rsl>").split(b"</")[0], "meta rsl-terms: unreadable"),
        "metadata of that name": (head("<meta name=rsl content=x><meta name=rsl-terms content=x>"), None),
        "of a crawler": (head("<meta name=googlebot content=noai>"), None),
        "in the body": (head("", body="<meta name=robots content=noai>"), None),
        "empty": (head("<meta name=robots>"), None),
    },
)
def test_preferences(page: bytes, preferences: str | None) -> None:
    assert declared(page).preferences == preferences


def test_hostile_heads_are_read_in_one_pass() -> None:
    for page in (b"<meta " * 2_000_000, b"<a license " * 1_000_000, b"<!--" * 20_000, b"<meta a=" * 1_000_000):
        assert declared(page) == (None, None, None, None)
