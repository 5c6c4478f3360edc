"""Types become the schemas of what is printed of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from pipelines.answers.typed import Schemas

NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}


class Pair(NamedTuple):
    low: int
    high: float


class Open(TypedDict, total=False):
    """Facts."""

    name: str


class Closed(TypedDict):
    """Facts that are all there."""

    name: str
    size: NotRequired[int]


@dataclass(frozen=True)
class Tree:
    """A tree."""

    name: Annotated[str, "of it"]
    children: "tuple[Tree, ...]" = ()


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (int, {"type": "integer"}),
        (float, NUMBER),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Any, {}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (Mapping[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (Pair, {"type": "array", "prefixItems": [{"type": "integer"}, NUMBER], "minItems": 2, "maxItems": 2}),
        (complex, {"type": "string"}),
    ],
)
def test_types(kind: Any, schema: dict[str, Any]) -> None:
    assert Schemas().of(kind) == schema


def test_classes_are_defined_once() -> None:
    schemas = Schemas()
    assert schemas.of(list[Tree]) == {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    assert schemas.definitions == {
        "Tree": {
            "description": "A tree.",
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
            "required": ["children", "name"],
            "additionalProperties": False,
        }
    }


def test_mappings_with_keys_of_their_own() -> None:
    schemas = Schemas()
    schemas.of(Open)
    schemas.of(Closed)
    assert (schemas.definitions["Open"]["required"], schemas.definitions["Open"]["additionalProperties"]) == ([], True)
    assert schemas.definitions["Closed"]["required"] == ["name"]
    assert schemas.definitions["Closed"]["additionalProperties"] is False
