"""What a page's own header fields and metadata say about the use of its text, kept as written.

A statement is a line "name: value" for each of HEADERS, and a line "meta name: value" for each of METAS. Sources write
the former, extraction adds the latter; nothing else of a header is kept. Links to terms in RSL are written as "rsl",
the terms of a page's own script as "rsl-terms" (`rsl.joined`).

Sources: Google, "Robots meta tag … and X-Robots-Tag specifications" (a directive may follow a crawler's name);
DeviantArt 2022 (noai, noimageai); W3C Community Group 2024, "TDM Reservation Protocol" (only "1" and "0" say something;
metadata goes before the header); IETF drafts aipref-attach and aipref-vocab (Content-Usage: train-ai=n), which may
still change; Cloudflare 2025, "Content Signals Policy" (ai-train=no). Sites mix up the last two, so either is read in
both.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from curation.models.preferences.rsl_links import rsl_links

HEADERS = ("x-robots-tag", "content-signal", "content-usage", "tdm-reservation", "tdm-policy")
METAS = ("robots", "tdm-reservation", "tdm-policy")
RSL = "rsl"
RSL_TERMS = "rsl-terms"
META = "meta "
MAX_VALUE = 1000  # characters of a value that are kept

_TRAINING = re.compile(r"(?<![\w-])(?:train-ai|ai-train)\s*=\s*([yn])", re.IGNORECASE)
_NAMED = re.compile(r"\s*([\w-]+)\s*:\s*(.*)", re.DOTALL)
_VALUED = re.compile(r"(?:unavailable_after|max-[a-z-]+)\s*:", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """What a page states; None: nothing about it."""

    noai: bool = False
    noimageai: bool = False
    content_signal: bool | None = None  # whether training is permitted, like the next
    content_usage: bool | None = None
    tdm_reservation: bool | None = None
    tdm_policy: str | None = None
    rsl: tuple[str, ...] = ()  # addresses of terms
    rsl_terms: str | None = None  # of the page's own script, as `rsl.joined` writes them


def of_headers(headers: Mapping[str, str]) -> str | None:
    """The lines of an HTTP header, given by lower-case name; None if it states nothing."""
    return written({**headers, RSL: rsl_links(headers.get("link", ""))}, (*HEADERS, RSL))


def of_metadata(stated: Mapping[str, str]) -> str | None:
    """The lines of a page's metadata, given by the names of METAS, RSL and RSL_TERMS; None if it states nothing."""
    return written(stated, (*METAS, RSL, RSL_TERMS), META)


def written(stated: Mapping[str, str], names: Sequence[str], prefix: str = "") -> str | None:
    """The lines for those of the names that are stated; None if none is. White space in values is folded."""
    values = ((name, " ".join(stated.get(name, "").split())[:MAX_VALUE]) for name in names)
    lines = [f"{prefix}{name}: {value}" for name, value in values if value]
    return "\n".join(lines).encode("utf-8", "ignore").decode() or None


def training_permitted(value: str) -> bool | None:
    """What a list of preferences, "search=yes, ai-train=no" or "train-ai=n", says about training; of several, no."""
    found = _TRAINING.findall(value)
    return None if not found else not {"n", "N"} & set(found)


@lru_cache(maxsize=1 << 14)
def read_statement(lines: str, agents: tuple[str, ...]) -> Statement:
    """What lines of `written` say to crawlers of these names."""
    stated = dict(line.split(": ", 1) for line in lines.split("\n") if ": " in line)
    directives = _directives(stated.get("x-robots-tag", ""), agents) | _directives(
        stated.get(f"{META}robots", ""), agents
    )
    tdm = next((one for prefix in (META, "") if (one := _tdm(stated, prefix)) is not None), None)
    policy = stated.get(f"{META}tdm-policy") or stated.get("tdm-policy")
    return Statement(
        noai="noai" in directives,
        noimageai="noimageai" in directives,
        content_signal=training_permitted(stated.get("content-signal", "")),
        content_usage=training_permitted(stated.get("content-usage", "")),
        tdm_reservation=tdm,
        tdm_policy=policy if tdm else None,
        rsl=tuple(dict.fromkeys(f"{stated.get(META + RSL, '')} {stated.get(RSL, '')}".split())),
        rsl_terms=stated.get(META + RSL_TERMS),
    )


def _tdm(stated: Mapping[str, str], prefix: str) -> bool | None:
    return {"1": True, "0": False}.get(stated.get(f"{prefix}tdm-reservation", ""))


def _directives(value: str, agents: Sequence[str]) -> set[str]:
    """Directives in lower case that hold for all crawlers or for one of `agents`. A crawler's name holds up to the
    next, also where a header that was sent several times has been joined with commas."""
    own = {agent.lower() for agent in agents}
    heard = True
    found = set[str]()
    for part in value.split(","):
        named = None if _VALUED.match(part.strip()) else _NAMED.fullmatch(part)
        if named:
            heard = named[1].lower() in own
            part = named[2]
        if heard:
            found.add(part.strip().lower())
    return found
