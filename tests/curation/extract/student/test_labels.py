"""Labels: the share of a block's words that the text has, in order."""

import pytest

from curation.extract.student.labels import labels, words_of
from tests.support import table

LONG = "the fog lay over the bay and no boat left the harbour before noon"


def test_words() -> None:
    assert words_of("Don't: 3 Boote_näher 船が来た") == ["don", "t", "3", "boote", "näher", "船", "が", "来", "た"]


@table(
    "blocks, text, shares",
    {
        "whole blocks": (["menu", LONG, "foot"], LONG, [0, 1, 0]),
        "in any case": ([LONG.upper()], LONG, [1]),
        "nothing taught": ([LONG], "", [0]),
        "no words": (["—", LONG], LONG, [0, 1]),
        "a short block is there as a whole or not at all": (["fog bank", "ice"], "fog ice", [0, 1]),
        "a block that stands twice is labelled once": ([LONG, LONG], LONG, [1, 0]),
        "words that only lie scattered": (["the lay and before"], LONG, [0]),
        "half of a block": ([f"{LONG} with ten other words that nobody else took from here"], LONG, [0.54]),
    },
)
def test_shares(blocks: list[str], text: str, shares: list[float]) -> None:
    found, counts = labels(blocks, text)
    assert sorted(found.tolist()) == pytest.approx(sorted(shares), abs=0.02)
    assert counts.tolist() == [len(words_of(block)) for block in blocks]


@table(
    "blocks, text, shares",
    {
        "a title that the menu has too": (
            ["Ice", "Low tide", "Ice", "Low tide", LONG],
            f"Low tide {LONG}",
            [0, 0, 0, 1, 1],
        ),
        "a name that the foot has too": ([LONG, "Ann Lee", "Ice", "Ann Lee"], f"{LONG} Ann Lee", [1, 1, 0, 0]),
        "both": (["Ann Lee", "Ann Lee", LONG, "Bo", "Bo"], f"Ann Lee {LONG} Bo", [0, 1, 1, 1, 0]),
        "nothing else": (["Ann Lee", "Ice", "Ann Lee"], "Ann Lee", [1, 0, 0]),
    },
)
def test_what_stands_twice_is_taken_from_next_to_the_text(blocks: list[str], text: str, shares: list[float]) -> None:
    assert labels(blocks, text)[0].tolist() == shares
