"""An item by its id or by its text, and what is too short for n-grams."""

from pathlib import Path

from curation.account.evalsets.wanted import LEAST, wanted
from curation.account.run import Run
from tests.curation.account.evalsets import curate
from tests.curation.models.evalsets import HENS, SHIPS


def test_ids_and_texts(tmp_path: Path) -> None:
    run = Run.open(curate(tmp_path))
    places = wanted(run, "places/0")
    assert (places.item.question, places.item.answer, places.item.choices) == (
        SHIPS,
        "Mull",
        ("Port of Larn", "Ayr", "Skye"),
    )
    assert (places.lookup.size, places.least) == (18, LEAST)
    text = wanted(run, " ".join(HENS.split()[:9]))
    assert (text.item.id, text.lookup.size, text.least) == (None, 9, 9)
    assert wanted(run, "two and two").parts is None
    assert wanted(run, "here and there/where").item.id is None  # a text: it has white space
