"""A file of tiktoken gives tiktoken's ids, and the special tokens of the public file that it is."""

import base64
from pathlib import Path

import pyarrow as pa
import pytest
import tiktoken

from curation.core.errors import InputError
from curation.tokens.encoders import named_patterns
from curation.tokens.encoders.encoder_probe import sample
from curation.tokens.encoders.load_tokenizer import load
from curation.tokens.encoders.named_patterns import CL100K_SPECIAL, PATTERNS, NamedPattern
from curation.tokens.encoders.ranks_file import is_ranks
from curation.tokens.encoders.tiktoken_path import ranks_of
from tests.curation.tokens import byte_pair_files as files

RANKS = ranks_of(files.stated()["model"])[0]


def content(ranks: dict[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


def written(folder: Path, name: str, ranks: dict[bytes, int] = RANKS) -> str:
    path = folder / name
    path.write_bytes(content(ranks))
    return str(path)


@pytest.mark.parametrize("name", PATTERNS)
def test_ids_are_those_of_tiktoken(tmp_path: Path, name: str) -> None:
    found = load(written(tmp_path, "own.tiktoken"), pattern=name)
    end = len(RANKS)
    assert (found.vocabulary.begin_of_text, found.vocabulary.end_of_text) == (None, end)
    assert (found.vocabulary.size, found.vocabulary.file) == (end + 2, "tokenizer.json")
    own = PATTERNS[name]
    theirs = tiktoken.Encoding(name, pat_str=own.pattern, mergeable_ranks=RANKS, special_tokens={"<|endoftext|>": end})
    texts = [text for text in sample([]) if not own.nfc or text.isascii()]
    encoded = found.encode(pa.array(texts, pa.large_string())).to_pylist()
    assert encoded == [[*theirs.encode_ordinary(text), end] for text in texts]
    by_library = found.encode_by_library(pa.array(texts[:3], pa.large_string())).to_pylist()
    assert by_library == encoded[:3]


def test_the_public_file_has_its_special_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a table in which the public files have as few tokens as the ones made here."""
    special = {"<|begin_of_text|>": 5000, "<|end_of_text|>": 5001}
    small = NamedPattern(files.tiktoken_path.CL100K, len(RANKS), special, "<|begin_of_text|>")
    monkeypatch.setitem(named_patterns.PATTERNS, "llama3", small)
    found = load(written(tmp_path, "tokenizer.model"), pattern="llama3")  # as Meta calls it
    assert (found.vocabulary.begin_of_text, found.vocabulary.end_of_text, found.vocabulary.size) == (5000, 5001, 5003)
    assert found.encode(pa.array(["", None], pa.large_string())).to_pylist() == [[5000, 5001]] * 2
    ids = found.encode(pa.array(["<|begin_of_text|>"], pa.large_string())).to_pylist()[0]
    assert ids.count(5000) == 1


def test_the_name_of_the_file_says_the_pattern(tmp_path: Path) -> None:
    texts = pa.array(["it's 1234"], pa.large_string())
    by_name = load(written(tmp_path, "o200k_base.tiktoken"))
    assert by_name.text.pattern == "o200k_base"
    assert by_name.encode(texts) == load(written(tmp_path, "x.tiktoken"), pattern="o200k_base").encode(texts)
    with pytest.raises(
        InputError, match=r"own\.tiktoken does not say how .* `pattern: NAME` in `tokenize`, one of gpt2"
    ):
        load(written(tmp_path, "own.tiktoken"))
    with pytest.raises(InputError, match="pattern: there is none named 'cl100k'; did you mean 'cl100k_base'"):
        load(written(tmp_path, "own.tiktoken"), pattern="cl100k")


def test_public_tables() -> None:
    """The ids of end-of-text in `tiktoken_ext.openai_public` and in the models' own code."""
    ends = {name: own.special.get("<|endoftext|>") for name, own in PATTERNS.items()}
    assert ends == {
        **{"gpt2": 50_256, "r50k_base": 50_256, "p50k_base": 50_256, "cl100k_base": 100_257, "o200k_base": 199_999},
        **{"llama3": None, "qwen": 151_643, "tekken": None},
    }
    assert CL100K_SPECIAL["<|endofprompt|>"] == 100_276


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        pytest.param({**RANKS, b"zq": 7}, "gives a rank twice", id="one rank for two tokens"),
        pytest.param({**RANKS, b"zq": 1 << 24}, r"or one of 2\^24 or more", id="a rank too large"),
        pytest.param(
            {t: r for t, r in RANKS.items() if t != b"a"}, "no token for 1 of the 256 bytes", id="a lost byte"
        ),
    ],
)
def test_files_that_do_not_hold_together(tmp_path: Path, ranks: dict[bytes, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(written(tmp_path, "gpt2.tiktoken", ranks))


@pytest.mark.parametrize("line", [b"YQ== x", b"YQ 1", b"YQ==", b"=== 1", b"YQ== 1 2", b"YQ== 97"])
def test_a_line_that_is_none(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "gpt2.tiktoken"
    path.write_bytes(content(RANKS) + line + b"\n")
    with pytest.raises(InputError, match=f"gpt2.tiktoken, line {len(RANKS) + 1:,}: no token in Base64 and its rank"):
        load(str(path))


def test_what_is_such_a_file() -> None:
    assert is_ranks(b"IQ== 0\nIg== 1\n")
    assert is_ranks(b"IQ== 0")
    for other in (b"", b'{"model": {}}', b"\n\x0e\n\x05<unk>", b"hello world\n", b"a" * 9000):
        assert not is_ranks(other)
