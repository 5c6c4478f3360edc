"""Small sets of questions whose answer must be more probable than others, to see when a training learns something.

A set is a file of JSON lines: {"context": "A week has seven", "answer": " days", "others": [" months", " years"]};
without `others` the answer must be what the model says itself. The margin, in nats, moves long before the share of
right answers: Schaeffer et al. 2023, "Are Emergent Abilities of Large Language Models a Mirage?" (arXiv:2304.15004).

The sets in `probes` are ours, after the kinds of Warstadt et al. 2020, "BLiMP" (arXiv:1912.00582), Petroni et al. 2019,
"Language Models as Knowledge Bases?" (arXiv:1909.01066) and Brown et al. 2020 (arXiv:2005.14165, section 3.9.1), which
are minimal pairs, cloze facts and arithmetic. They are too small to tell models apart that are nearly alike.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from training.evaluate.causal import CausalNetwork
from training.evaluate.scores import TextTokenizer, before_text, first_token, scores

OWN = {path.stem: str(path) for path in sorted(Path(__file__).with_name("probes").glob("*.jsonl"))}


@dataclass(frozen=True)
class ProbeItem:
    """One question; words that follow a blank have it in front."""

    context: str
    answer: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class ProbeResult:
    """Of a set."""

    n: int
    accuracy: float
    stderr: float
    chance: float  # the accuracy of guessing
    margin: float | None  # nats of the answer above the best other, the mean; None without others


def read_probes(path: str) -> list[ProbeItem]:
    """Raises InputError, with the line, for what is no set."""
    items = []
    for number, line in enumerate(storage.read_bytes(path).decode(errors="replace").splitlines(), 1):
        try:
            found: Any = json.loads(line)
            item = ProbeItem(str(found.get("context", "")), found["answer"], tuple(found.get("others", ())))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f'{path}, line {number}: no question with an answer; write {{"context": "…", "answer": " …"}}'
            ) from error
        if not item.answer or not all(isinstance(text, str) for text in (item.answer, *item.others)):
            raise InputError(f"{path}, line {number}: answer and others must be texts that are not empty")
        items.append(item)
    if not items:
        raise InputError(f"{path} has no questions")
    return items


def set_names(given: Sequence[str]) -> dict[str, str]:
    """Names of sets and their files: `own` stands for those of this module. Raises InputError for a file that is not
    there."""
    named = {name: path for one in given for name, path in (OWN if one == "own" else {_stem(one): one}).items()}
    for path in named.values():
        if not storage.exists(path):
            raise InputError(f"{path} is no file of probes; give JSON lines, or `own` for the sets of winnow")
    return named


def probe(model: CausalNetwork, tokenizer: TextTokenizer, length: int, items: Sequence[ProbeItem]) -> ProbeResult:
    """`length`: tokens of the rows that the model was trained on."""
    asked = [(item, text) for item in items for text in (item.answer, *item.others)]
    found = iter(scores(model, [_pair(tokenizer, item.context, text) for item, text in asked], length))
    right = []
    margins = []
    for item in items:
        answer = next(found)
        others = [next(found).log_likelihood for _ in item.others]
        margins += [answer.log_likelihood - max(others)] if others else []
        right.append(answer.log_likelihood > max(others) if others else answer.greedy)
    n = len(items)
    accuracy = sum(right) / n
    chance = sum(1 / (1 + len(item.others)) for item in items if item.others) / n
    stderr = (accuracy * (1 - accuracy) / max(n - 1, 1)) ** 0.5
    return ProbeResult(n, accuracy, stderr, chance, sum(margins) / len(margins) if margins else None)


def _pair(tokenizer: TextTokenizer, context: str, text: str) -> tuple[list[int], list[int]]:
    """What the text adds to the ids of the context, which begin as a document does."""
    own = tokenizer.ids(context)
    before = [*before_text(tokenizer), *own] or [first_token(tokenizer)]
    return before, tokenizer.ids(context + text)[len(own) :]


def _stem(path: str) -> str:
    return PurePosixPath(path).stem
