"""Names by models on disk: a pipeline of spaCy with rules, and a token classifier of transformers."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file

from curation.core.errors import InputError
from curation.models.pii.names import Names
from curation.models.pii.overlaps import PiiSpan
from tests.curation.models.sequence_classifier.tiny import PROSE, save, tokenizer_of

spacy = pytest.importorskip("spacy")


@pytest.fixture
def model(tmp_path: Path) -> str:
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "PERSON", "pattern": "Ann Lee"},
            {"label": "GPE", "pattern": "Oslo"},
            {"label": "ORG", "pattern": "UN"},
        ]
    )
    pipeline.to_disk(tmp_path / "model")
    return str(tmp_path / "model")


def test_persons_and_places_in_bytes(model: str) -> None:
    names = Names(model=model)
    assert names.find("é Ann Lee of the UN in Oslo".encode()) == [
        PiiSpan("name", 3, 10, 0.85),
        PiiSpan("place", 24, 28, 0.85),
    ]
    assert any(path.endswith("meta.json") for path in names.files())


def test_a_long_text_is_read_in_pieces(model: str) -> None:
    content = ("é " * 3000 + "Ann Lee").encode()
    assert Names(model=model).find(content) == [PiiSpan("name", 9000, 9007, 0.85)]


def test_a_limit(model: str) -> None:
    assert Names(model=model, min_score=0.9).find(b"Ann Lee") == []


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no model"):
        Names(model=str(tmp_path)).files()


LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")
KIND = {"PER": "name", "LOC": "place"}
MOST = 64  # tokens that the tagger takes


@pytest.fixture
def tagger(tmp_path: Path) -> str:
    """A BERT of two layers with random weights, whose tokenizer says nothing of the tokens that it takes."""
    config = transformers.BertConfig(
        vocab_size=tokenizer_of(tmp_path, PROSE),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=MOST,
        initializer_range=0.5,
        id2label=dict(enumerate(LABELS)),
    )
    torch.manual_seed(0)
    save(transformers.BertForTokenClassification(config), tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    del settings["model_max_length"]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    return str(tmp_path)


def test_pickled_weights_are_refused(tagger: str) -> None:
    """They may run code when they are opened."""
    weights = Path(tagger) / "model.safetensors"
    torch.save(load_file(weights), Path(tagger) / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(InputError, match=r"has no model\.safetensors; .* pickled weights .* safetensors"):
        Names(model=tagger).files()


def by_transformers(folder: str, text: str, **options: Any) -> list[PiiSpan]:
    """What the library's own pipeline finds, in bytes."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, model_max_length=MOST - 2)
    run = transformers.pipeline(
        "token-classification", model=folder, tokenizer=tokenizer, aggregation_strategy="simple", **options
    )
    spans = []
    for one in run(text):
        if one["entity_group"] in KIND:
            start, stop = (len(text[:place].encode()) for place in (int(one["start"]), int(one["end"])))
            spans.append(PiiSpan(KIND[one["entity_group"]], start, stop, float(one["score"])))
    return spans


def test_a_token_classifier_finds_what_its_own_pipeline_finds(tagger: str) -> None:
    text = f"é {PROSE[1]} ü {PROSE[0]}"
    expected = by_transformers(tagger, text)
    assert {span.kind for span in expected} == {"name", "place"}
    assert Names(model=tagger, min_score=0).find(text.encode()) == expected
    least = sorted(span.score for span in expected)[len(expected) // 2]
    surer = [span for span in expected if span.score >= least]
    assert 0 < len(surer) < len(expected)
    assert Names(model=tagger, min_score=least).find(text.encode()) == surer


def test_a_piece_of_more_tokens_than_a_classifier_takes_is_read_whole(tagger: str) -> None:
    text = PROSE[1] * 10
    expected = by_transformers(tagger, text, stride=32)
    assert expected[-1].end > len(text) * 0.9
    assert Names(model=tagger, min_score=0).find(text.encode()) == expected


def test_a_token_classifier_reads_a_long_text_in_pieces(tagger: str) -> None:
    line = f"{PROSE[0]}\n".ljust(1999) + "\n"
    alone = Names(model=tagger, min_score=0).find(line.encode())
    twice = Names(model=tagger, min_score=0).find(2 * line.encode())
    assert alone
    assert twice == alone + [PiiSpan(span.kind, span.start + 2000, span.end + 2000, span.score) for span in alone]
