"""Templates of every kind of post-processor, by hand and as the library applies them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from curation.core.errors import InputError
from curation.core.tokenizer_template import Template, model_vocabulary, template_of, with_template
from curation.tokens.encoders.load_tokenizer import load

VOCABULARY = {"<s>": 0, "</s>": 1, "<x>": 2, "a": 3}
BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}


def piece(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": "A", "type_id": 0}} if name == "A" else {"SpecialToken": {"id": name, "type_id": 0}}


def template(*single: str) -> dict[str, Any]:
    tokens = {name: {"id": name, "ids": [VOCABULARY[name]], "tokens": [name]} for name in single if name != "A"}
    pieces = [piece(name) for name in single]
    pair = [*pieces, {"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": pieces, "pair": pair, "special_tokens": tokens}


def sequence(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "processors": [*steps]}


ENDS = {"sep": ["</s>", 1], "cls": ["<s>", 0]}
CASES = {
    "none": (None, ()),
    "bytes": (BYTES, ()),
    "begin": (template("<s>", "A"), ("<s>", "A")),
    "end": (template("A", "</s>"), ("A", "</s>")),
    "both": (template("<s>", "A", "</s>"), ("<s>", "A", "</s>")),
    "two of each": (template("<s>", "<x>", "A", "<x>", "</s>"), ("<s>", "<x>", "A", "<x>", "</s>")),
    "text alone": (template("A"), ()),
    "BERT": ({"type": "BertProcessing", **ENDS}, ("<s>", "A", "</s>")),
    "RoBERTa": (
        {"type": "RobertaProcessing", **ENDS, "trim_offsets": True, "add_prefix_space": True},
        ("<s>", "A", "</s>"),
    ),
    "after bytes": (sequence(BYTES, template("<s>", "A")), ("<s>", "A")),
    "nested": (sequence(template("A"), sequence(BYTES, template("<x>", "A", "</s>"))), ("<x>", "A", "</s>")),
}


def stated(processor: dict[str, Any] | None) -> dict[str, Any]:
    own = Tokenizer(models.WordLevel(VOCABULARY, "a"))
    own.pre_tokenizer = pre_tokenizers.Whitespace()
    own.add_special_tokens(["<s>", "</s>", "<x>"])
    found: dict[str, Any] = json.loads(own.to_str())
    return {**found, "post_processor": processor}


def in_library(given: dict[str, Any]) -> list[str]:
    return list(Tokenizer.from_str(json.dumps(given)).encode("a").tokens)


@pytest.mark.parametrize("name", CASES)
def test_what_is_put_around_a_text(name: str) -> None:
    processor, around = CASES[name]
    at = around.index("A") if around else 0
    found = template_of(stated(processor))
    assert found == Template(around[:at], around[at + 1 :])
    assert in_library(stated(processor)) == [*found.begins, "a", *found.ends]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("wanted", [Template(), Template(("<s>",)), Template(("<x>",), ("</s>",))])
def test_another_template(name: str, wanted: Template) -> None:
    """Steps that add no token stay."""
    given = with_template(stated(CASES[name][0]), wanted, VOCABULARY)
    assert template_of(given) == wanted
    assert in_library(given) == [*wanted.begins, "a", *wanted.ends]
    assert (json.dumps(BYTES) in json.dumps(given)) == (name in ("bytes", "after bytes", "nested"))


def test_tokens_in_two_steps(tmp_path: Path) -> None:
    """The library then gives `<s> <x> </s> a`."""
    given = stated(sequence(template("<x>", "A"), template("<s>", "A", "</s>")))
    with pytest.raises(ValueError, match="2 steps of its post_processor put tokens around a text; leave one"):
        template_of(given)
    (tmp_path / "x.json").write_text(json.dumps(given))
    with pytest.raises(InputError, match=r"x\.json does not say clearly how a text begins and ends: 2 steps"):
        load(str(tmp_path / "x.json"))


def test_the_vocabulary_of_a_model() -> None:
    assert model_vocabulary({"model": {"vocab": {"a": 1}}}) == {"a": 1}
    assert model_vocabulary({"model": {"vocab": [["a", -1.0], ["b", -2.0]]}}) == {"a": 0, "b": 1}
    assert model_vocabulary({}) == {}
