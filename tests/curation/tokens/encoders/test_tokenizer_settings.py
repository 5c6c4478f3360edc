"""What the files beside a tokenizer say, each by itself and together."""

import json
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.tokens.encoders.tokenizer_settings import CONFIG, GENERATION, SETTINGS, TokenizerSettings, read_settings

MAP = SETTINGS[1]


def read(folder: Path, **files: Any) -> TokenizerSettings:
    names = {"config": CONFIG, "tokens": MAP, "generation": GENERATION}
    for key, content in files.items():
        (folder / names[key]).write_text(json.dumps(content))
    return read_settings([str(folder / name) for key, name in names.items() if key in files])


def test_nothing_is_said(tmp_path: Path) -> None:
    assert read_settings(()) == TokenizerSettings()
    assert read(tmp_path, config={}, tokens=[], generation={"eos_token_id": None}) == TokenizerSettings()


@pytest.mark.parametrize(
    ("config", "adds"),
    [
        ({"add_bos_token": True}, True),
        ({"add_bos_token": False, "tokenizer_class": "LlamaTokenizer"}, False),
        ({"tokenizer_class": "LlamaTokenizerFast"}, True),
        ({"tokenizer_class": "GPT2Tokenizer"}, None),
        ({"add_bos_token": "yes"}, None),
    ],
)
def test_whether_a_begin_is_added(tmp_path: Path, config: dict[str, Any], adds: bool | None) -> None:
    assert read(tmp_path, config=config).adds_begin is adds


def test_names_and_ids(tmp_path: Path) -> None:
    found = read(tmp_path, config={"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}})
    assert (found.begin, found.end) == ("<s>", "</s>")
    found = read(tmp_path, tokens={"eos_token": "<eos>"}, generation={"bos_token_id": 1, "eos_token_id": [7, 8]})
    assert (found.begin, found.end) == (1, "<eos>")
    assert read(tmp_path, config={"pad_token": "<p>"}).padding == "<p>"
    assert read(tmp_path, generation={"eos_token_id": [7, 8]}).end == 7
    found = read(tmp_path, config={"eos_token": None}, tokens={"eos_token": "<b>"}, generation={"eos_token_id": 3})
    assert found.end == "<b>"


def test_a_longest_text_of_any_length(tmp_path: Path) -> None:
    assert read(tmp_path, config={"model_max_length": int(1e30), "eos_token": "</s>"}).end == "</s>"


def test_special_tokens_that_are_added(tmp_path: Path) -> None:
    added = {"5": {"content": "<m>", "special": True}, "6": {"content": "x"}, "7": None}
    assert read(tmp_path, config={"added_tokens_decoder": added}).added == {"<m>": 5}


def test_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / CONFIG).write_text("{")
    with pytest.raises(InputError, match=r"tokenizer_config\.json is no JSON .*; mend it, or take it away and name"):
        read_settings([str(tmp_path / CONFIG)])
