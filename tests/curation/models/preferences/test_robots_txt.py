"""Groups, paths and preferences as RFC 9309, aipref-attach and Content Signals have them; hostile files end."""

import re

import pytest

from curation.models.preferences.agents import TRAINING
from curation.models.preferences.robots_txt import MAX_BYTES, SIGNAL, USAGE, RobotsTxt, essential
from tests.support import table

AGENTS = ("GPTBot", "CCBot", "ClaudeBot")


def read(text: str, agents: tuple[str, ...] = AGENTS) -> RobotsTxt:
    return RobotsTxt(essential(text.encode()), agents)


@table(
    ("text", "path", "refused"),
    {
        "all": ("User-agent: *\nDisallow: /", "/a", list(AGENTS)),
        "one": ("User-agent: GPTBot\nDisallow: /", "/a", ["GPTBot"]),
        "its own group goes before that for all": (
            "User-agent: *\nDisallow: /\nUser-agent: CCBot\nDisallow:",
            "/a",
            None,
        ),
        "groups of one name are joined": (
            "User-agent: GPTBot\nAllow: /\n\nUser-agent: gptbot\nDisallow: /a",
            "/a",
            ["GPTBot"],
        ),
        "several names share rules": (
            "User-agent: GPTBot\nUser-agent: CCBot/2.0\nDisallow: /",
            "/",
            ["GPTBot", "CCBot"],
        ),
        "no part of a name": ("User-agent: Claude\nUser-agent: GPT\nDisallow: /", "/", []),
        "another line ends the names": ("User-agent: *\nCrawl-delay: 9\nUser-agent: x\nDisallow: /", "/", []),
        "a sitemap does not": ("User-agent: CCBot\nSitemap: https://a/b\nDisallow: /", "/", ["CCBot"]),
        "nor do terms of use": ("User-agent: CCBot\nLicense: https://a/b\nDisallow: /", "/", ["CCBot"]),
        "the longest rule": ("User-agent: CCBot\nDisallow: /\nAllow: /open/", "/open/a", []),
        "wildcards": ("User-agent: CCBot\nDisallow: /*.pdf$", "/a/b.pdf", ["CCBot"]),
        "escapes": ("User-agent: CCBot\nDisallow: /%7Ea/é", "/~a/%C3%A9", ["CCBot"]),
        "misspelt": ("useragent: CCBot\ndissalow: /", "/", ["CCBot"]),
        "a comment": ("User-agent: CCBot # us\nDisallow: /a # not b", "/a", ["CCBot"]),
        "before any group": ("Disallow: /", "/", []),
        "a byte order mark": ("\ufeffUser-agent: CCBot\nDisallow: /", "/", ["CCBot"]),
        "a page of HTML": ("<html><p style='a: b'>Not found: /</p>", "/", []),
        "nothing": ("", "/", []),
    },
)
def test_paths(text: str, path: str, refused: list[str] | None) -> None:
    expected = ["GPTBot", "ClaudeBot"] if refused is None else refused
    assert read(text).disallowed(path) == expected


@table(
    ("text", "field", "path", "refused"),
    {
        "a signal": ("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /", SIGNAL, "/a", True),
        "permitted": ("User-agent: *\nContent-Signal: ai-train=yes", SIGNAL, "/a", False),
        "of another use": ("User-agent: *\nContent-Signal: ai-input=no", SIGNAL, "/a", False),
        "before any group": ("Content-Signal: ai-train=no\nUser-agent: x\nDisallow: /", SIGNAL, "/a", True),
        "of another crawler": ("User-agent: x\nContent-Usage: train-ai=n", USAGE, "/a", False),
        "the draft's example": (
            "User-Agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y",
            USAGE,
            "/a",
            True,
        ),
        "the longer path": (
            "User-Agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y",
            USAGE,
            "/ok/a",
            False,
        ),
        "equal paths": ("User-Agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a train-ai=y", USAGE, "/a", True),
        "the other's words": ("User-Agent: *\nContent-Usage: ai-train=no", USAGE, "/a", True),
    },
)
def test_preferences(text: str, field: str, path: str, refused: bool) -> None:
    assert read(text).refuses_training(field, path) is refused


def test_preferences_are_kept_as_written() -> None:
    stated = read("User-agent: x\nContent-Usage: /a  train-ai=n\nContent-Usage: future=?1;b\n").stated
    assert stated == {SIGNAL: None, USAGE: "/a  train-ai=n; future=?1;b"}


def test_terms_of_use_are_kept_wherever_they_stand() -> None:
    content = b"License: https://a/l.xml#x\nUser-agent: *\nLICENSE : /m\nAllow: /\nlicense:\nLicense: /m"
    lines = essential(content)
    assert lines == "license:https://a/l.xml\nlicense:/m\nuser-agent:*\nallow:/"
    assert RobotsTxt(lines, AGENTS).licences == ("https://a/l.xml", "/m")
    assert essential(b"License: /l") == "license:/l"
    assert len(RobotsTxt(essential(b"".join(b"License: /%d\n" % i for i in range(99))), AGENTS).licences) == 10


def test_a_file_counts_up_to_500_kib_and_no_rule_is_cut() -> None:
    filler = b"# a line of no meaning\n" * 30_000
    assert essential(filler + b"User-agent: *\nDisallow: /\n") == ""
    rules = b"User-agent: *\nDisallow: /private\n"
    cut = rules + b"#" * (MAX_BYTES - 2 * len(rules)) + b"\nUser-agent: *\nDisallow: /private\n"
    assert essential(cut) == "user-agent:*\ndisallow:/private\nuser-agent:*"


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            b"".join(b"User-agent: a%d\n" % n for n in range(16_000)) + b"Disallow: /a\n" * 19_000, id="pairs"
        ),
        pytest.param(b"".join(b"User-agent: GPTBot\nDisallow: /*a%d*b$\n" % n for n in range(12_000)), id="patterns"),
        pytest.param(b"User-agent: *\nDisallow: /" + b"*a" * 250_000, id="one pattern"),
        pytest.param(b"Content-Usage: /a train-ai=n\n" * 17_000, id="preferences"),
        pytest.param(b"\xff\x00:" * 200_000, id="bytes"),
    ],
)
def test_hostile_files(content: bytes) -> None:
    rules = RobotsTxt(essential(content), AGENTS)
    assert rules.disallowed("/" + "a" * 2_000) == []
    assert all(len(stated or "") <= 1000 for stated in rules.stated.values())


def test_the_crawlers_that_train_have_names_of_their_own() -> None:
    assert all(re.fullmatch(r"[\w-]+", name) for name in TRAINING)
    assert len({name.lower() for name in TRAINING}) == len(TRAINING)
    rules = read("".join(f"User-agent: {name.upper()}\nDisallow: /{name}\n" for name in TRAINING), TRAINING)
    assert all(rules.disallowed(f"/{name}") == [name] for name in TRAINING)
