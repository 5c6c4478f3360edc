"""Personal data taken out of texts: which, by which language, and what takes its place."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.models.pii.names import Names
from curation.rewrite.pii import Pii

pytest.importorskip("presidio_analyzer")


def redacted(text: str, **options: Any) -> str:
    batch = pa.record_batch({"text": pa.array([text], pa.large_string())})
    (found,) = Pii(**{"language": "en", **options}).rewrite(batch)[0].to_pylist()
    return str(found)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({}, "é <EMAIL>, <PHONE>, <IP>, 192.168.0.1", id="placeholders"),
        pytest.param({"of": ("email",)}, "é <EMAIL>, 212-555-0123, 203.104.12.9, 192.168.0.1", id="one kind"),
        pytest.param({"variant": "presidio"}, "é <EMAIL>, <PHONE>, <IP>, <IP>", id="Presidio's"),
        pytest.param({"actions": {"phone": "remove"}}, "é <EMAIL>, , <IP>, 192.168.0.1", id="removed"),
        pytest.param({"min_score": 0.9}, "é <EMAIL>, 212-555-0123, 203.104.12.9, 192.168.0.1", id="a score"),
    ],
)
def test_options(options: dict[str, Any], expected: str) -> None:
    assert redacted("é a@example.org, 212-555-0123, 203.104.12.9, 192.168.0.1", **options) == expected


def test_the_surer_of_two_values_that_overlap_is_replaced() -> None:
    assert redacted("https://ann:Qx7rz@example.org/x") == "https://<URL_CREDENTIALS>/x"


def test_counts_and_spans_but_no_value() -> None:
    batch = pa.record_batch({"text": pa.array(["a@example.org b@example.org", ""], pa.large_string())})
    _, counts = Pii(language="en").rewrite(batch)
    assert counts["email"].to_pylist() == [2, 0]
    assert [[(s["start"], s["end"]) for s in row] for row in counts["spans"].to_pylist()] == [[(0, 13), (14, 27)], []]


def test_numbers_are_read_by_the_language_of_each_text() -> None:
    text = pa.array(["NIF 12345678Z"] * 4, pa.large_string())
    labels = pa.StructArray.from_arrays([pa.array(["es", "en", None, None])], names=["label"])
    source = pa.array(["web", "web", "web", "libros"])
    columns = {"text": text, "url": pa.nulls(4, pa.string()), "source": source}
    found = "NIF <ES_NIF>"
    left = "NIF 12345678Z"

    def kept(batch: pa.RecordBatch, **options: Any) -> list[str]:
        made: list[str] = Pii(of=("es_nif",), **options).rewrite(batch)[0].to_pylist()
        return made

    labelled = pa.record_batch({**columns, "language": labels})
    assert kept(labelled) == [found, left, left, left]
    assert kept(labelled, language="es") == [found, left, found, found]
    assert kept(labelled, language={"libros": "es"}) == [found, left, left, found]
    assert kept(pa.record_batch(columns), language={"libros": "es"}) == [left, left, left, found]


def test_numbers_after_a_word_of_their_language() -> None:
    assert redacted("फोन९८७६५४३२१०पर", language="hi") == "फोन<PHONE>पर"
    assert redacted("هاتف ٠٥٠١٢٣٤٥٦٧ الآن", language="ar") == "هاتف <PHONE> الآن"
    assert redacted("تلفن 09121234567", language="fa") == "تلفن <PHONE>"
    assert redacted("वर्ष 2024 में 9876543210 लोग", language="hi") == "वर्ष 2024 में 9876543210 लोग"


def test_what_is_read() -> None:
    assert (Pii().reads, Pii().reads_if_there) == (("text", "url", "language"), ())
    assert (Pii(language="en").reads, Pii(language="en").reads_if_there) == (("text", "url"), ("language",))
    assert Pii(language={"a": "en"}).reads == ("text", "url", "source")


def test_numbers_are_read_by_the_domain_of_each_page() -> None:
    text = pa.array(["Informacje 22 46 30 066"] * 3, pa.large_string())
    urls = pa.array(["https://a.pl/x", "https://a.com/x", None])
    kept, _ = Pii(language="en").rewrite(pa.record_batch({"text": text, "url": urls}))
    assert kept.to_pylist() == ["Informacje <PHONE>", *text.to_pylist()[1:]]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        pytest.param({"of": ("emial",)}, RecipeError, id="an unknown kind"),
        pytest.param({"actions": {"phon": "remove"}}, RecipeError, id="an action on an unknown kind"),
        pytest.param({"regions": ("XX",)}, RecipeError, id="an unknown country"),
        pytest.param({"names": Names(model="none")}, InputError, id="no model"),
    ],
)
def test_what_is_refused_before_work_starts(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Pii(**options).assets()


def test_names_of_a_model(tmp_path: Path) -> None:
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ann Lee"}])  # type: ignore[attr-defined]
    pipeline.to_disk(tmp_path / "model")
    assert redacted("é Ann Lee: a@example.org", names=Names(model=str(tmp_path / "model"))) == "é <NAME>: <EMAIL>"


def test_a_recognizer_that_raises_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("curation.models.pii.patterns.Recognizer.find", fails)
    with pytest.raises(ZeroDivisionError):
        redacted("a@example.org")
