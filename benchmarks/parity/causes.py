"""Why the two sides differ on a document: each known cause is tested on that document, and none is assumed."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from curation.models.fasttext.classifier import EMBEDDED, load
from curation.models.text_windows import whole

UNEXPLAINED = "not explained"
MIN_SCORE = 0.65
C4_SENTENCES = ("c4_quality.sentences", "c4_fineweb.sentences")
_MARKERS = re.compile(r"\[\d*\]|\[edit\]|\[citation needed\]")
_RUNS = re.compile("[^a-zA-Z0-9]+")


@dataclass(frozen=True)
class Case:
    """A document, the name of a limit or rule set, and what each side says; ours measured `signals`."""

    name: str
    text: str
    url: str
    datatrove: str | None
    ours: str | None
    signals: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cause:
    """`explains(case)` tests whether this cause makes the named limits differ; `only_ours` are the reasons for which
    ours alone drops, where the cause is of such cases."""

    names: tuple[str, ...]  # beginnings of the names of limits
    says: str
    explains: Callable[[Case], bool]
    only_ours: tuple[str, ...] = ()


def whole_text_decides(case: Case) -> bool:
    """Our classifier, given all of the text as one line, decides as datatrove does."""
    line = pa.array([case.text.replace("\n", " ")], pa.large_string())
    labels, scores = load(EMBEDDED).best(whole(line))
    wanted = case.name != "language_english" or labels[0, 0] == "en"
    return bool(wanted and scores[0, 0] > MIN_SCORE) == (case.datatrove is None)


def lines_of_markers(case: Case) -> bool:
    """Each line of nothing but citation markers, three or more, is one sentence more there than here."""
    lines = case.text.splitlines()
    more = sum(len(line.split()) >= 3 and not _MARKERS.sub("", line).strip() for line in lines)
    return more > 0 and float(case.datatrove or "nan") == float(case.ours or "nan") + more


def listed_between(case: Case) -> bool:
    """The listed name is a parent of the host, but not what datatrove takes for the registered domain."""
    entry = case.signals["entry"]
    return _host(case.url).endswith(f".{entry}") and entry != case.signals["registered_domain"]


def address_listed(case: Case) -> bool:
    """The listed name is the host, an IP address, which has no domain for datatrove's library."""
    host = _host(case.url)
    return host == case.signals["entry"] and _is_address(host)


def host_in_capitals(case: Case) -> bool:
    """The listed name is the host or its registered domain in lower case, but does not occur as the URL is written."""
    entry = case.signals["entry"]
    return entry in (_host(case.url), case.signals["registered_domain"]) and entry not in case.url


def listed_without_scheme(case: Case) -> bool:
    """The listed URL is part of this one, but not equal to it."""
    return case.signals["entry"] in case.url and case.signals["entry"] != case.url


def hidden_word(case: Case) -> bool:
    """The listed word occurs once the URL is in lower case and its escapes are decoded, which changes its words."""
    decoded, written = (set(_RUNS.split(url)) for url in (unquote(case.url).lower(), case.url))
    return case.signals["entry"] in decoded and decoded != written


_DOMAIN = ("domain:high",)
_WORDS = ("words:high", "soft_words:high")
CAUSES: tuple[Cause, ...] = (
    Cause(("language",), "it reads the whole text, ours parts; ours on the whole text agrees", whole_text_decides),
    Cause(C4_SENTENCES, "a line of citation markers alone counts as a sentence once they are cut", lines_of_markers),
    Cause(("url_",), "it does not look up a domain between the registered one and the host", listed_between, _DOMAIN),
    Cause(("url_",), "it does not look up an IP address", address_listed, _DOMAIN),
    Cause(("url_",), "it compares the host as written, in capitals", host_in_capitals, _DOMAIN),
    Cause(
        ("url_",),
        "its list of URLs has no schemes, but it looks up URLs with them",
        listed_without_scheme,
        ("url:high",),
    ),
    Cause(("url_",), "it compares the word as written, in capitals or next to an escape", hidden_word, _WORDS),
)


def cause(case: Case) -> str:
    """The first known cause that holds for this document, or UNEXPLAINED."""
    for known in CAUSES:
        if not case.name.startswith(known.names):
            continue
        if known.only_ours and (case.datatrove is not None or case.ours not in known.only_ours):
            continue
        if known.explains(case):
            return known.says
    return UNEXPLAINED


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _host(url: str) -> str:
    return (urlsplit(url if "//" in url else f"//{url}").hostname or "").lower()
