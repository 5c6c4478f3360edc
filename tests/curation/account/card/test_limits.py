"""Each sentence where its figure calls for it, and not where it does not."""

import dataclasses
from collections.abc import Callable, Sequence
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

WHOLE = "No licence of the data set as a whole was given for this card."
UNSTATED = "Without any declared licence: 1 of 7 documents (14.3 %)."
PERSONAL = "No stage looked for personal data: "
NEAR = "Near-duplicates were not removed: "
DECLARED = "Languages are as pages or records declare them; "
CUT = "Rows are cut from one stream of tokens: "
TAKEN = "Taken down on request: 2 documents. "
OF_DOCUMENTS = (
    *(WHOLE, UNSTATED, "A licence is what the page, file or recipe declares; ", PERSONAL),
    *("No stage looked for the questions of test sets: ", "No stage looked for keys and tokens: "),
    *(
        "No stage judged whether texts are toxic or hateful.",
        "No stage honoured opt-outs: ",
        NEAR,
        DECLARED,
        "Limits that no document broke: ",
    ),
    "Without a date: 4 of 7 documents (57.1 %).",
)


def same(sentences: Sequence[str], beginnings: Sequence[str]) -> bool:
    return len(sentences) == len(beginnings) and all(map(str.startswith, sentences, beginnings))


def test_of_a_run(carded: str, untokenized: str) -> None:
    assert same(known_limits(Run.open(untokenized).card()), OF_DOCUMENTS)
    found = known_limits(Run.open(carded).card())
    assert same(found[: len(OF_DOCUMENTS)], OF_DOCUMENTS)
    of_tokens = [one for one in found[len(OF_DOCUMENTS) :] if not one.startswith(("Training sees", "The mixture has"))]
    assert same(of_tokens, (CUT, "Validation documents were drawn by a hash"))


def stages(found: Card, name: str, **changes: Any) -> Card:
    changed = [dataclasses.replace(one, **changes) if one.name == name else one for one in found.stages]
    return dataclasses.replace(found, stages=tuple(changed))


def dropped(found: Card, stage: str, *reasons: tuple[str, int]) -> Card:
    return stages(found, stage, dropped=tuple(DropCount(reason, count, "") for reason, count in reasons))


def shares(found: Card, **changes: Any) -> Card:
    return dataclasses.replace(found, contents=dataclasses.replace(found.contents, **changes))


def mixed(found: Card, *lines: tuple[str, str, float]) -> Card:
    """Phase, source and epochs of each line."""
    assert found.mixture is not None
    made = tuple(MixLine(phase, source, 0.5, 100.0, 100, 10, 10, epochs, False) for phase, source, epochs in lines)
    return dataclasses.replace(found, mixture=dataclasses.replace(found.mixture, lines=made))


def packed(found: Card, method: str, cut: int) -> Card:
    split = PackedSplit("web", "train", rows=9, tokens=99, documents=10, utf8_bytes=300, padding=0, cut=cut)
    packing = dataclasses.replace(found.packings[0], method=method, row_tokens=2049, splits=(split,))
    return dataclasses.replace(found, packings=(packing,))


def gone(found: Card, files: int | None) -> Card:
    return dataclasses.replace(found, takedowns=(TakedownFacts("2026-02-03", 2, 4, files),))


def licensed(found: Card) -> Card:
    about = About(licence="ODC-By-1.0")
    return shares(dataclasses.replace(found, about=about), licences=(Share("CC0-1.0", 7, 9, None),))


def faulty(found: Card) -> Card:
    web, *others = found.inputs
    return dataclasses.replace(found, inputs=(dataclasses.replace(web, faults=1), *others))


def never_fired(found: Card) -> Card:
    return stages(found, "web-gopher_quality", never_fired=tuple(f"a.{letter} (low)" for letter in "bcdef"))


UNFIRED = ", ".join(f"a.{letter} (low) in web-gopher_quality" for letter in "bcde")
EMPTY = (("extract:empty", 2), ("extract:too_deep", 1))
TAKEN_IN_PART = (TAKEN, "A takedown is not finished: ")
UNFINISHED = "The run is not finished: every figure covers its 9 sealed stages only."
FAILED = "Dropped because a rule failed with an error: 2 documents (error.exact.ValueError)."
CASES: list[tuple[Callable[[Card], Card], Sequence[str], Sequence[str]]] = [  # what it says then, and no longer
    (lambda c: dataclasses.replace(c, complete=False), [UNFINISHED], []),
    (licensed, [], [WHOLE, UNSTATED]),
    (lambda c: stages(c, "web-unicode", components=("pii",)), [], [PERSONAL]),
    (lambda c: stages(c, "dedup", components=("exact", "minhash")), [], [NEAR]),
    (lambda c: stages(c, "dedup", verb=FILTER), ["No duplicates were removed."], [NEAR]),
    (lambda c: stages(c, "dedup", chain="web"), ["Each source was deduplicated separately: "], []),
    (lambda c: shares(c, languages_by="language"), ["Languages are a classifier's guess; "], [DECLARED]),
    (lambda c: shares(c, languages=(Share(None, 7, 9, None),)), ["The language of the documents is"], [DECLARED]),
    (faulty, ["1 fault in the input files: "], []),
    (lambda c: dropped(c, "web-read", *EMPTY), ["No text could be extracted: 3 of 9 records (33.3 %)."], []),
    (lambda c: dropped(c, "dedup", ("error.exact.ValueError", 2)), [FAILED], []),
    (never_fired, [f"Limits that no document broke: {UNFIRED}, … and 1 more."], ["Limits that no document broke: "]),
    (lambda c: gone(c, 5), [TAKEN], []),
    (lambda c: gone(c, None), TAKEN_IN_PART, []),
    (lambda c: packed(c, "best_fit", 1), ["Longer than a row of 2,049 tokens and cut: 1 of 10 documents"], [CUT]),
    (lambda c: packed(c, "best_fit", 0), [], [CUT]),
]


@pytest.mark.parametrize(("change", "more", "less"), CASES)
def test_what_changes_it(change: Callable[[Card], Card], more: Sequence[str], less: Sequence[str], carded: str) -> None:
    card = Run.open(carded).card()
    before, after = (
        [sentence for sentence in known_limits(one) if not sentence.startswith("Validation documents")]
        for one in (card, change(card))
    )
    assert same([one for one in after if one not in before], more)
    assert same([one for one in before if one not in after], less)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([("a", "web", 0.5), ("b", "web", 0.5)], []),
        ([("a", "web", 1.0), ("b", "web", 1.25)], ["more than once: web 2.25 times."]),
        ([("a", "web", 0.25), ("a", "books", 0.0)], ["only part of some sources: web 25.0 %.", "nothing of books."]),
    ],
    ids=["once each", "repeated over phases", "in part"],
)
def test_of_a_mixture(lines: list[tuple[str, str, float]], expected: list[str], carded: str) -> None:
    found = known_limits(mixed(Run.open(carded).card(), *lines))
    sees = [one.removeprefix("Training sees ") for one in found if one.startswith("Training sees")]
    assert [one.removeprefix("sources ") for one in sees] == expected
