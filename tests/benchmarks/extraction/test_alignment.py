"""Aligned characters of short texts, by hand."""

import numpy as np
import pytest

from benchmarks.extraction.alignment import LOST, aligned

LONG = "Theriverroseinthenightandbythemorningthefieldswereunderwater."


def lost(shown: list[str], text: str) -> str:
    """The characters of the blocks that are not found."""
    whole = "".join(shown)
    stops = np.cumsum([len(block) for block in shown]).tolist()
    starts = [0, *stops][: len(stops)]
    edges = np.zeros(len(whole), np.bool_)
    edges[starts] = True
    places = aligned(whole, edges, list(zip(starts, stops, strict=True)), text)
    found = places[places != LOST]
    assert len(set(found.tolist())) == len(found)
    return "".join(character for character, place in zip(whole, places, strict=True) if place == LOST)


@pytest.mark.parametrize(
    ("shown", "text", "expected"),
    [
        pytest.param([LONG], LONG, "", id="all"),
        pytest.param(["Home", LONG, "About"], LONG, "HomeAbout", id="blocks around"),
        pytest.param([LONG[:30] + "梅" + LONG[30:]], LONG, "梅", id="one character"),
        pytest.param(["Readmore", LONG, "Readmore"], LONG + "Readmore", "Readmore", id="one of two alike"),
        pytest.param([LONG, "A-title-of-it"], "A-title-of-it" + LONG, "", id="a block that was moved"),
        pytest.param(["item", "other"], "-item1.other", "", id="what the text has more"),
        pytest.param(["abc"], "", "abc", id="no text"),
        pytest.param([], "abc", "", id="nothing to find"),
        pytest.param(["Theriverwasdry.", LONG], LONG, "Theriverwasdry.", id="a block that shares a beginning"),
    ],
)
def test_what_is_lost(shown: list[str], text: str, expected: str) -> None:
    assert lost(shown, text) == expected


def test_long_texts_are_searched_for_whole_blocks() -> None:
    words = [f"w{number}" for number in range(3000)]
    assert lost(words, "".join(words)) == ""
    assert lost(["x" * 9000, "menu", "y" * 9000], "y" * 9000) == "x" * 9000 + "menu"
