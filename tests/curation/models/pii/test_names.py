"""Names by models on disk: a pipeline of spaCy with rules, and a token classifier of transformers."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.models.pii.names import Names
from curation.models.pii.overlaps import Span

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
        Span("name", 3, 10, 0.85),
        Span("place", 24, 28, 0.85),
    ]
    assert any(path.endswith("meta.json") for path in names.files())


def test_a_long_text_is_read_in_pieces(model: str) -> None:
    content = ("é " * 3000 + "Ann Lee").encode()
    assert Names(model=model).find(content) == [Span("name", 9000, 9007, 0.85)]


def test_a_limit(model: str) -> None:
    assert Names(model=model, min_score=0.9).find(b"Ann Lee") == []


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no model"):
        Names(model=str(tmp_path)).files()
