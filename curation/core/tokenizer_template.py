"""The special tokens that a tokenizer.json puts around a text: its template, which the file calls a post-processor.

Source: the library `tokenizers` 0.23: TemplateProcessing, BertProcessing and RobertaProcessing add tokens, ByteLevel
adds none. Of a Sequence one step may add tokens: the library puts those of several in no clear order.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Template(NamedTuple):
    """The names of the tokens before and behind a text."""

    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


def template_of(stated: Mapping[str, Any]) -> Template:
    """Tokens that a parsed tokenizer.json, which the library has read, puts around a single text. Raises ValueError
    where several steps do."""
    added = [own for step in _steps(stated.get("post_processor")) if (own := _added(step)) != Template()]
    if len(added) > 1:
        raise ValueError(f"{len(added)} steps of its post_processor put tokens around a text; leave one")
    return added[0] if added else Template()


def with_template(stated: Mapping[str, Any], template: Template, ids: Mapping[str, int]) -> dict[str, Any]:
    """The parsed tokenizer.json with another template; `ids` of its tokens by their names."""
    kept = [step for step in _steps(stated.get("post_processor")) if step["type"] == "ByteLevel"]
    around = [_special(name) for name in template.begins], [_special(name) for name in template.ends]
    text, other = ({"Sequence": {"id": name, "type_id": number}} for number, name in enumerate("AB"))
    names = dict.fromkeys((*template.begins, *template.ends))
    added = {
        "type": "TemplateProcessing",
        "single": [*around[0], text, *around[1]],
        "pair": [*around[0], text, *around[1], other, *around[1]],
        "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in names},
    }
    return {**stated, "post_processor": {"type": "Sequence", "processors": [*kept, added]} if kept else added}


def model_vocabulary(stated: Mapping[str, Any]) -> dict[str, int]:
    """The ids of the tokens of the model in a parsed tokenizer.json, without added ones."""
    vocabulary: Any = stated.get("model", {}).get("vocab", {})
    if isinstance(vocabulary, Mapping):
        return dict(vocabulary)
    return {name: number for number, (name, _) in enumerate(vocabulary)}  # Unigram: pairs of a piece and its score


def _special(name: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": 0}}


def _added(processor: Mapping[str, Any]) -> Template:
    kind = processor.get("type")
    if kind == "TemplateProcessing":
        return _of_pieces(processor)
    if kind in ("BertProcessing", "RobertaProcessing"):
        return Template((processor["cls"][0],), (processor["sep"][0],))
    return Template()


def _of_pieces(processor: Mapping[str, Any]) -> Template:
    sides: tuple[list[str], list[str]] = ([], [])
    behind = False
    for piece in processor["single"]:
        if "Sequence" in piece:
            behind = True
        else:
            sides[behind].extend(processor["special_tokens"][piece["SpecialToken"]["id"]]["tokens"])
    return Template(*map(tuple, sides))


def _steps(processor: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Those of nested sequences, in order."""
    if processor is None:
        return []
    if processor.get("type") == "Sequence":
        return [step for one in processor["processors"] for step in _steps(one)]
    return [processor]
