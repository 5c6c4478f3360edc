"""Each sentence where its figure calls for it, and not where it does not."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from curation.account.card.contents import Share
from curation.account.card.facts import About, Card, TakedownFacts
from curation.account.card.limits import known_limits
from curation.account.card.stage_facts import DropCount
from curation.account.card.tokens import PackedSplit
from curation.account.mixture import MixLine
from curation.account.run import Run
from curation.core.verbs import FILTER
from curation.core.wording import counted


def said(found: Card, beginning: str) -> list[str]:
    return [sentence for sentence in known_limits(found) if sentence.startswith(beginning)]


def stages(found: Card, name: str, **changes: Any) -> Card:
    changed = [dataclasses.replace(one, **changes) if one.name == name else one for one in found.stages]
    return dataclasses.replace(found, stages=tuple(changed))


def shares(found: Card, **changes: Any) -> Card:
    return dataclasses.replace(found, contents=dataclasses.replace(found.contents, **changes))


def mixed(found: Card, *lines: tuple[str, str, float]) -> Card:
    """Phase, source and epochs of each line."""
    assert found.mixture is not None
    made = tuple(MixLine(phase, source, 0.5, 100.0, 100, 10, 10, epochs, False) for phase, source, epochs in lines)
    return dataclasses.replace(found, mixture=dataclasses.replace(found.mixture, lines=made))


def packed(found: Card, method: str, **counts: int) -> Card:
    split = PackedSplit("web", "train", **{"rows": 9, "tokens": 99, "utf8_bytes": 300, "padding": 0, **counts})  # type: ignore[arg-type]
    packing = dataclasses.replace(found.packings[0], method=method, row_tokens=2049, splits=(split,))
    return dataclasses.replace(found, packings=(packing,))


def gone(found: Card, documents: int, files: int | None = 5) -> Card:
    return dataclasses.replace(found, takedowns=(TakedownFacts("2026-02-03", documents, 4, files),))


def licensed(found: Card) -> Card:
    return shares(
        dataclasses.replace(found, about=About(licence="ODC-By-1.0")), licences=(Share("CC0-1.0", 7, 9, None),)
    )


CASES: list[tuple[str, Callable[[Card], Card], str, list[str]]] = [
    ("finished", lambda c: c, "The run is not finished", []),
    (
        "not finished",
        lambda c: dataclasses.replace(c, complete=False),
        "The run is not finished",
        ["The run is not finished: every figure covers its 9 sealed stages only."],
    ),
    (
        "no licence of the whole",
        lambda c: c,
        "No licence",
        ["No licence of the data set as a whole was given for this card."],
    ),
    ("licence of the whole", licensed, "No licence", []),
    ("licences", lambda c: c, "Without any declared", ["Without any declared licence: 1 of 7 documents (14.3 %)."]),
    ("all licensed", licensed, "Without any declared", []),
    ("no stage for personal data", lambda c: c, "No stage looked for personal", [""]),
    (
        "a stage for personal data",
        lambda c: stages(c, "web-unicode", components=("pii",)),
        "No stage looked for personal",
        [],
    ),
    ("no near-duplicates", lambda c: c, "Near-duplicates were not", [""]),
    ("near-duplicates", lambda c: stages(c, "dedup", components=("exact", "minhash")), "Near-duplicates were not", []),
    ("no dedup", lambda c: stages(c, "dedup", verb=FILTER), "No duplicates", ["No duplicates were removed."]),
    ("dedup of each source", lambda c: stages(c, "dedup", chain="web"), "Each source was", [""]),
    ("dedup of all sources", lambda c: c, "Each source was", []),
    ("languages declared", lambda c: c, "Languages are as pages", [""]),
    ("languages identified", lambda c: shares(c, languages_by="language"), "Languages are a classifier's", [""]),
    ("languages unknown", lambda c: shares(c, languages=(Share(None, 7, 9, None),)), "The language of", [""]),
    (
        "faults",
        lambda c: dataclasses.replace(c, inputs=(dataclasses.replace(c.inputs[0], faults=1), *c.inputs[1:])),
        "1 fault",
        ["1 fault in the input files: the affected records are not in the data."],
    ),
    (
        "empty pages",
        lambda c: stages(
            c, "web-read", dropped=(DropCount("extract:empty", 2, ""), DropCount("extract:too_deep", 1, ""))
        ),
        "No text could",
        ["No text could be extracted: 3 of 9 records (33.3 %)."],
    ),
    (
        "failed rules",
        lambda c: stages(c, "dedup", dropped=(DropCount("error.exact.ValueError", 2, ""),)),
        "Dropped because",
        ["Dropped because a rule failed with an error: 2 documents (error.exact.ValueError)."],
    ),
    ("dates", lambda c: c, "Without a date", ["Without a date: 4 of 7 documents (57.1 %)."]),
    (
        "limits",
        lambda c: stages(
            c, "web-gopher_quality", never_fired=("a.b (low)", "a.b (high)", "a.c (low)", "a.d (low)", "a.e (low)")
        ),
        "Limits that",
        [
            "Limits that no document broke: a.b (low) in web-gopher_quality, a.b (high) in web-gopher_quality, "
            "a.c (low) in web-gopher_quality, a.d (low) in web-gopher_quality, … and 1 more."
        ],
    ),
    ("none taken down", lambda c: c, "Taken down", []),
    ("taken down", lambda c: gone(c, 2), "Taken down on request: 2 documents.", [""]),
    ("takedown finished", lambda c: gone(c, 2), "A takedown is not", []),
    ("takedown not finished", lambda c: gone(c, 2, None), "A takedown is not", [""]),
    ("once each", lambda c: mixed(c, ("a", "web", 0.5), ("b", "web", 0.5)), "Training sees", []),
    (
        "repeated over phases",
        lambda c: mixed(c, ("a", "web", 1.0), ("b", "web", 1.25)),
        "Training sees",
        ["Training sees sources more than once: web 2.25 times."],
    ),
    (
        "in part",
        lambda c: mixed(c, ("a", "web", 0.25), ("a", "books", 0.0)),
        "Training sees",
        ["Training sees only part of some sources: web 25.0 %.", "Training sees nothing of books."],
    ),
    ("concat", lambda c: packed(c, "concat", documents=10, cut=0), "Rows are cut", [""]),
    (
        "best fit",
        lambda c: packed(c, "best_fit", documents=10, cut=1),
        "Longer than",
        ["Longer than a row of 2,049 tokens and cut: 1 of 10 documents (10.0 %)."],
    ),
    ("nothing cut", lambda c: packed(c, "best_fit", documents=10, cut=0), "Longer than", []),
]


@pytest.mark.parametrize(
    ("change", "beginning", "expected"),
    [pytest.param(*case, id=name) for name, *case in CASES],
)
def test_sentence(change: Callable[[Card], Card], beginning: str, expected: list[str], carded: str) -> None:
    found = said(change(Run.open(carded).card()), beginning)
    assert len(found) == len(expected)
    assert found == expected or expected == [""]


def test_no_sentence_of_what_is_not_there(untokenized: str) -> None:
    found = Run.open(untokenized).card()
    assert not said(found, "Training")
    assert not said(found, "Rows")
    assert not said(found, "Validation")
    assert found.known_limits == known_limits(found)


def test_counted() -> None:
    assert [counted(number, "row") for number in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
