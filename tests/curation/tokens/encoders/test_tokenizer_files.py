"""Which files a tokenizer's name, folder or list stands for."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.tokens.encoders.tokenizer_files import TokenizerFiles, find_tokenizer


def made(folder: Path, *names: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return str(folder)


@pytest.mark.parametrize(
    ("names", "main"),
    [
        (("tokenizer.json", "tokenizer.model", "vocab.json", "merges.txt"), ("tokenizer.json",)),
        (("tokenizer.model", "other.model"), ("tokenizer.model",)),
        (("spiece.model", "config.json"), ("spiece.model",)),
        (("vocab.json", "merges.txt", "qwen.tiktoken"), ("vocab.json", "merges.txt")),
        (("encoder.json", "vocab.bpe"), ("encoder.json", "vocab.bpe")),
        (("qwen.tiktoken",), ("qwen.tiktoken",)),
    ],
)
def test_a_folder(tmp_path: Path, names: tuple[str, ...], main: tuple[str, ...]) -> None:
    folder = made(tmp_path, *names)
    files = find_tokenizer(folder)
    assert files == find_tokenizer(f"{folder}/")
    assert files.main == tuple(f"{folder}/{name}" for name in main)
    assert files.settings == ()


def test_what_stands_beside_it(tmp_path: Path) -> None:
    folder = made(tmp_path, "tokenizer.json", "generation_config.json", "tokenizer_config.json", "config.json")
    settings = tuple(f"{folder}/{name}" for name in ("tokenizer_config.json", "generation_config.json"))
    expected = TokenizerFiles((f"{folder}/tokenizer.json",), settings)
    assert find_tokenizer(folder) == find_tokenizer(f"{folder}/tokenizer.json") == expected
    assert find_tokenizer((settings[1], f"{folder}/tokenizer.json", settings[0])) == expected
    assert find_tokenizer((f"{folder}/tokenizer.json",)).settings == ()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "has none of the files that a tokenizer may be"),
        (("vocab.txt",), "has none of the files that a tokenizer may be: tokenizer.json, a .model, vocab.json with"),
        (("a.model", "b.model"), r"has several \(a.model, b.model\) of the files .*; name the file"),
        (("a.tiktoken", "b.tiktoken"), r"has several \(a.tiktoken, b.tiktoken\)"),
        (("vocab.json",), "has none of the files"),
    ],
)
def test_a_folder_without_one(tmp_path: Path, names: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_tokenizer(made(tmp_path, *names))


def test_half_of_a_pair(tmp_path: Path) -> None:
    folder = made(tmp_path, "my-merges.txt")
    with pytest.raises(InputError, match=r"my-merges\.txt needs vocab\.json and merges\.txt in one folder"):
        find_tokenizer(f"{folder}/my-merges.txt")


def test_settings_alone() -> None:
    with pytest.raises(InputError, match=r"none of tokenizer_config\.json is a tokenizer; name its file too"):
        find_tokenizer(("tokenizer_config.json",))


@pytest.mark.parametrize("name", ["gpt2", "openai-community/gpt2"])
def test_the_name_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        find_tokenizer(name)
    line = str(caught.value)
    assert line.startswith(
        f"no file or folder at {name}, and winnow downloads no tokenizer; get it once by `hf download"
    )
    assert f"hf download {name} tokenizer.json tokenizer_config.json --local-dir tokenizers/{name}`" in line
    assert line.endswith(f"then write `tokenizer: tokenizers/{name}`")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file at .*none\.json; give a tokenizer's file or folder"):
        find_tokenizer(str(tmp_path / "none.json"))
