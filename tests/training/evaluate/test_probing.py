"""Right answers and margins by hand; every embedded set can be read; what is no set is told with its line."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from curation.core.errors import InputError
from tests.training.evaluate.trained_runs import WordTokenizer
from tests.training.models.made import SMALL, model_of
from training.evaluate.causal import causal_network
from training.evaluate.probing import OWN, ProbeItem, _pair, probe, read_probes, set_names
from training.models.decoder import Decoder

WORDS = WordTokenizer("a", " b", " c", " d", "one", "two")
LOGITS = torch.tensor([0.0, 1.0, 3.0, 2.0, -1.0, 0.5, 0.25])  # of every next token


class Indifferent(torch.nn.Module):
    """Says the same after every context."""

    output_matrix = torch.zeros(1)

    def logits(self, batch: Any) -> torch.Tensor:
        return LOGITS.expand(*batch.labels.shape, -1)


def test_by_hand() -> None:
    items = [
        ProbeItem("a", " b", (" c", " d")),  # 3 against 2
        ProbeItem("a", " d", (" c",)),  # -1 against 2
        ProbeItem("", "one", ("two",)),  # 0.5 against 0.25
    ]
    found = probe(Indifferent(), WORDS, 8, items)  # type: ignore[arg-type]
    assert (found.n, found.accuracy, found.chance) == (
        3,
        pytest.approx(2 / 3),
        pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 3),
    )
    assert found.margin == pytest.approx((1 - 3 + 0.25) / 3)
    assert found.stderr == pytest.approx(math.sqrt(2 / 9 / 2))


def test_without_others_the_answer_must_be_said() -> None:
    items = [ProbeItem("a", " b", ()), ProbeItem("a", " b b", ()), ProbeItem("a", " c", ())]
    found = probe(Indifferent(), WORDS, 8, items)  # type: ignore[arg-type]
    assert (found.accuracy, found.chance, found.margin) == (pytest.approx(2 / 3), 0.0, None)


def test_a_context_begins_as_a_document_does() -> None:
    begun = WordTokenizer("a", " b", "<s>")
    begun.begin_of_text = 3
    assert [_pair(begun, context, " b") for context in ("a", "")] == [([3, 1], [2]), ([3], [2])]
    assert [_pair(WORDS, context, " b") for context in ("a", "")] == [([1], [2]), ([0], [2])]


def test_a_decoder_is_asked() -> None:
    model = causal_network(model_of(Decoder(**SMALL), vocabulary=len(WORDS.words)))
    assert probe(model, WORDS, 8, [ProbeItem("a", " b c", (" c",))]).n == 1


def test_every_embedded_set() -> None:
    assert set(OWN) == {"arithmetic", "cloze_facts", "minimal_pairs"}
    assert set_names(["own", "other/../probes/x.jsonl"][:1]) == OWN
    for path in OWN.values():
        items = read_probes(path)
        assert len(items) >= 20
        assert len(set(items)) == len(items)
        assert all(item.others and item.answer not in item.others for item in items)
        assert all(text.startswith(" ") == bool(item.context) for item in items for text in (item.answer, *item.others))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no questions"),
        ('{"context": "a"}', "line 1: no question with an answer"),
        ('{"answer": "a"}\nnonsense', "line 2: no question with an answer"),
        ('{"answer": ""}', "line 1: answer and others must be texts"),
        ('{"answer": "a", "others": [1]}', "line 1: answer and others must be texts"),
    ],
)
def test_what_is_no_set(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(content)
    assert set_names([str(path)]) == {"mine": str(path)}
    with pytest.raises(InputError, match=message):
        read_probes(str(path))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no file of probes; give JSON lines, or `own`"):
        set_names([str(tmp_path / "gone.jsonl")])
