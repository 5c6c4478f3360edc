"""Tables of packed rows and of the mixture: sub-sources are summed, of many the largest are shown."""

import dataclasses
from pathlib import Path

from curation.account.card.facts import Card
from curation.account.card.token_sections import tokens
from curation.account.mixture import MixLine
from curation.account.run import Run
from tests.curation.account.corpus import curate


def token_lines(card: Card) -> list[str]:
    return tokens(card)["tokens"].splitlines()


def test_mixture_with_phases(carded: str) -> None:
    found = Run.open(carded).card()
    assert found.mixture is not None
    line = MixLine("anneal", "web/en", 0.25, 1000.4, 992, 31, 20, 1.55, True)
    main = dataclasses.replace(line, phase="main", capped=False)
    changed = dataclasses.replace(
        found, mixture=dataclasses.replace(found.mixture, lines=(main, line), other_runs=("/runs/2024|x/07-pack",))
    )
    lines = token_lines(changed)
    assert "| `main` | `web/en` | 25.00 % | 1,000 | 992 | 31 | 1.550 |" in lines
    assert "| `anneal` | `web/en` | 25.00 % | 1,000 | 992 (all there is) | 31 | 1.550 |" in lines
    assert "| `main` | `web` | 25.00 % | 1,000 | 992 | 31 | 1.550 |" in lines
    assert "- with packed rows of another run: `/runs/2024¦x/07-pack`" in lines


def test_sub_sources_are_summed_by_source(carded: str) -> None:
    found = Run.open(carded).card()
    assert found.mixture is not None
    one = MixLine("mix", "web/en", 0.25, 100.0, 96, 3, 4, 0.75, True)
    two = MixLine("mix", "web/de", 0.5, 200.0, 192, 6, 4, 1.5, False)
    rest = MixLine("mix", "books", 0.25, 100.0, 96, 3, 6, 0.5, False)
    mixture = dataclasses.replace(found.mixture, lines=(one, two, rest))
    lines = token_lines(dataclasses.replace(found, mixture=mixture))
    assert "| `web` | 75.00 % | 300 | 288 | 9 | 1.125 |" in lines
    assert lines.count("| `books` | 25.00 % | 100 | 96 | 3 | 0.500 |") == 2
    assert "| `web/en` | 25.00 % | 100 | 96 (all there is) | 3 | 0.750 |" in lines


def test_of_many_sub_sources_the_largest_are_shown(carded: str) -> None:
    found = Run.open(carded).card()
    assert found.mixture is not None
    lines = [MixLine(phase, f"web/{n:02}", 0.05, n, n, n, 10, n / 10, False) for phase in "ab" for n in range(1, 19)]
    split = found.packings[0].splits[0]
    splits = [
        dataclasses.replace(split, source=f"web/{n:02}", tokens=n, rows=1, documents=2, padding=0, cut=0)
        for n in range(1, 19)
    ]
    packing = dataclasses.replace(found.packings[0], splits=tuple(splits))
    mixture = dataclasses.replace(found.mixture, lines=tuple(lines))
    shown = token_lines(dataclasses.replace(found, packings=(packing,), mixture=mixture))
    assert any(line.startswith("| `web` | train | 36 | 171 |") for line in shown)
    assert any(
        line.startswith("| `3 others` | train | 6 | 6 |") and line.endswith("| 3 | 0.0 % | 0 |") for line in shown
    )
    assert "| `a` | `web` | 90.00 % | 171 | 171 | 171 | 0.950 |" in shown
    assert "| `b` | `3 others` | 15.00 % | 6 | 6 | 6 | 0.200 |" in shown
    assert sum("`web/04`" in line for line in shown) == 3
    assert not any("`web/03`" in line for line in shown)
    assert shown.count("By sub-source, the largest (`winnow card --json` has all):") == 2


def test_tokens(carded: str) -> None:
    lines = token_lines(Run.open(carded).card())
    assert any("byte-level BPE with 300 ids, learnt in this run from 7 of its documents, " in line for line in lines)
    assert any("one stream of tokens, cut every 33 tokens" in line for line in lines)
    assert sum(line.startswith(("| `web` | train |", "| `books` | train |")) for line in lines) == 2


def test_a_tokenizer_that_was_given(corpus: Path) -> None:
    lines = token_lines(curate(corpus).card())
    assert any("given to the run" in line for line in lines)


def test_no_tokens(untokenized: str) -> None:
    assert tokens(Run.open(untokenized).card()) == {"tokens": ""}
