"""What the files beside a tokenizer say of the tokens around a text, as `save_pretrained` of transformers writes them.

tokenizer_config.json      add_bos_token, bos_token, eos_token, pad_token, tokenizer_class, add_prefix_space, …
special_tokens_map.json    bos_token, eos_token, pad_token
generation_config.json     bos_token_id, eos_token_id, pad_token_id: a number, or several, of which the first counts
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import parse_json

CONFIG = "tokenizer_config.json"
GENERATION = "generation_config.json"
SETTINGS = (CONFIG, "special_tokens_map.json", GENERATION)
# Classes of transformers that put a begin-of-text before each text unless the config says otherwise.
BEGINNING = ("LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", "RobertaTokenizer", "BartTokenizer")


@dataclass(frozen=True)
class TokenizerSettings:
    """What is said, None for what is not: whether a text has a begin-of-text, and the tokens by name or id."""

    adds_begin: bool | None = None
    begin: str | int | None = None
    end: str | int | None = None
    padding: str | int | None = None
    kind: str = ""  # the class of transformers, without "Fast"
    prefix_space: bool = False
    added: Mapping[str, int] = field(default_factory=dict)  # ids of special tokens that a vocabulary may lack


def read_settings(files: Sequence[str]) -> TokenizerSettings:
    """What the files say together; where several say something, the first does. Raises InputError for one that is
    damaged."""
    said = [_fields(uri) for uri in files]
    config = next((own for uri, own in zip(files, said, strict=True) if _name(uri) == CONFIG), {})
    kind = str(config.get("tokenizer_class") or "").removesuffix("Fast")
    adds = config.get("add_bos_token")
    return TokenizerSettings(
        adds_begin=adds if isinstance(adds, bool) else True if kind in BEGINNING else None,
        begin=next(_tokens(said, "bos_token"), None),
        end=next(_tokens(said, "eos_token"), None),
        padding=next(_tokens(said, "pad_token"), None),
        kind=kind,
        prefix_space=config.get("add_prefix_space") is True,
        added=dict(_added(config.get("added_tokens_decoder"))),
    )


def _name(uri: str) -> str:
    return uri.rpartition("/")[2]


def _fields(uri: str) -> dict[str, Any]:
    try:
        found = parse_json(storage.read_bytes(uri))
    except ValueError as error:
        raise InputError(f"{uri} is no JSON ({error}); mend it, or take it away and name begin and end") from error
    return found if isinstance(found, dict) else {}


def _tokens(said: Sequence[Mapping[str, Any]], name: str) -> Iterator[str | int]:
    """A token's name or id in each file that has one."""
    for own in said:
        token = own.get(name)
        content = token.get("content") if isinstance(token, dict) else token
        if isinstance(content, str):
            yield content
        numbers = own.get(f"{name}_id")
        first = numbers[0] if isinstance(numbers, list) and numbers else numbers
        if type(first) is int:
            yield first


def _added(stated: Any) -> Iterator[tuple[str, int]]:
    for number, token in stated.items() if isinstance(stated, dict) else ():
        if isinstance(token, dict) and token.get("special") and isinstance(token.get("content"), str):
            yield token["content"], int(number)
