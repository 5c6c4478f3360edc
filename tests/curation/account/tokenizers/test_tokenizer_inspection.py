"""An inspection of small tokenizers on a few texts, counted by hand; and of fitted ones on real text."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as pj
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from curation.account.tokenizers.tokenizer_inspection import Embedding, Token, inspect
from curation.core.errors import InputError
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer as Fit
from curation.tokens.encoders.load_tokenizer import PlainTokenizer, load_text
from tests.support import SHARED, documents, learned, needs_shared_data

LETTERS = [*"acst", "Ġ", "Ã"]


def tokenizer(folder: Path, name: str, merges: list[tuple[str, str]], *others: str) -> PlainTokenizer:
    names = [*LETTERS, *(first + second for first, second in merges), *others]
    model = models.BPE(vocab={one: number for number, one in enumerate(names)}, merges=merges)
    library = Tokenizer(model)
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens(["<|endoftext|>", "<|padding|>"])
    (folder / name).write_text(library.to_str())
    return load_text(str(folder / name))


def sample(*texts: str, **columns: list[Any]) -> list[tuple[str, pa.Table]]:
    return [("web", pa.Table.from_batches([documents(*texts, **columns)]))]


def test_by_hand(tmp_path: Path) -> None:
    # "ta" cannot be made: no merge leads to it. "st" could, but is not in the text.
    one = tokenizer(tmp_path, "one.json", [("a", "t"), ("c", "at"), ("s", "t")], "ta")
    texts = sample("cat cat", "sat as", "", declared_language=["en", "de", "fr"])
    (found,) = inspect({"one": one}, texts, widths=(10,))
    # cat _ cat, s at _ a s
    assert (found.vocabulary, found.special, found.against) == (12, 2, None)
    total = found.total
    assert (total.documents, total.bytes, total.words, total.tokens) == (3, 13, 4, 8)
    assert (total.tokens_per_word, total.characters_per_token, total.relative_tokens) == (2.0, 13 / 8, None)
    english, german, french, web = found.groups
    assert (english.name, english.tokens, english.bytes_per_token) == ("en", 3, 7 / 3)
    assert (german.name, german.tokens, web.name) == ("de", 5, "web")
    assert (french.tokens, french.tokens_per_word, french.bytes_per_token, french.characters_per_token) == (0, 0, 0, 0)
    assert [(one.text, one.count) for one in found.top[:3]] == [("s", 2), (" ", 2), ("cat", 2)]
    assert [one.text for one in found.longest] == ["cat", "at", "st", "ta", "a", "c", "s", "t", " ", "\\xc3"]
    assert [one.text for one in found.longest_used[:3]] == ["cat", "at", "a"]
    assert found.unused.tokens == 5  # c, t, \xc3, st, ta
    assert (found.unused.share, found.top_shares) == (0.5, {})
    assert found.partial.examples == (Token(id=5, text="\\xc3", bytes=1, count=0),)
    assert [one.text for one in found.unreachable.examples] == ["ta"]
    assert [one.text for one in found.glitch.examples] == ["st", "c", "t"]
    assert found.embeddings == (Embedding(10, 120, 240, 240, 480),)
    assert found.ranks == ((1, 2), (2, 2), (3, 2), (4, 1), (5, 1))


def test_the_share_that_is_unknown(tmp_path: Path) -> None:
    fit = Fit(vocab_size=60, model="wordpiece", min_frequency=100)
    (tmp_path / "words.json").write_bytes(learned(fit, [pa.array(["ab ab"], pa.large_string())]))
    words = load_text(str(tmp_path / "words.json"))
    (found,) = inspect({"words": words}, sample("ab", "x a"))
    assert found.unknown == 1 / 5  # a b, x _ a
    (known,) = inspect({"one": tokenizer(tmp_path, "one.json", [])}, sample("cat"))
    assert known.unknown == 0.0


def test_against_another(tmp_path: Path) -> None:
    one = tokenizer(tmp_path, "one.json", [("a", "t"), ("c", "at")])
    other = tokenizer(tmp_path, "other.json", [("a", "t")])
    (found,) = inspect({"one": one, "other": other}, sample("cat cat"), against="other")
    assert found.against == "other"
    assert found.total.relative_tokens == 3 / 5  # cat _ cat, c at _ c at
    assert found.groups[0].relative_tokens == 3 / 5


def test_long_lists_are_cut_and_the_most_frequent_have_shares(tmp_path: Path) -> None:
    """The space 10 times, each of 22 letters once."""
    letters = [*"bdefghijklmnopqruvwxyz"]
    (found,) = inspect({"one": tokenizer(tmp_path, "one.json", [], *letters)}, sample(" " * 10 + "".join(letters)))
    assert (len(found.longest), len(found.top), found.top[0].count) == (20, 20, 10)
    assert found.top_shares == {"10": 19 / 32}
    assert (found.ranks[:2], found.ranks[-1]) == (((1, 10), (2, 1)), (23, 1))


def test_several_on_batches(tmp_path: Path) -> None:
    one = tokenizer(tmp_path, "one.json", [("a", "t"), ("c", "at")])
    other = tokenizer(tmp_path, "other.json", [("a", "t")])
    found = inspect({"one": one, "other": other}, [*sample("cat"), *sample("cat cat", "at")])
    assert [(each.tokenizer, each.total.tokens) for each in found] == [("one", 5), ("other", 8)]


def test_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the sample has no text"):
        inspect({"one": tokenizer(tmp_path, "one.json", [])}, [])


@needs_shared_data
def test_real_text(tmp_path: Path) -> None:
    rows = pj.read_json(SHARED / "langid" / "langid.jsonl.gz").slice(400, 400)
    texts = rows["text"].combine_chunks().cast(pa.large_string())
    batch = documents(*texts.to_pylist(), declared_language=rows["lang1"].to_pylist())
    found = {}
    for name, fit in {
        "bytes.json": Fit(vocab_size=1500),
        "words.json": Fit(vocab_size=1500, model="wordpiece", character_coverage=0.98),
        "pieces.model": Sentencepiece(vocab_size=1500, model_type="bpe", character_coverage=0.98),
    }.items():
        (tmp_path / name).write_bytes(learned(fit, [texts]))
        found[name] = load_text(str(tmp_path / name))
    for one in inspect(found, [("langid", pa.Table.from_batches([batch]))]):
        assert one.vocabulary == 1500
        kinds = (one.unreachable.tokens, one.partial.tokens, one.glitch.tokens)
        assert one.unused.tokens == sum(kinds) < 400
        groups = {group.name: group for group in one.groups}
        assert 1 < groups["en"].tokens_per_word < 3
        assert sum(group.tokens for group in one.groups if group.kind == "language") <= one.total.tokens
        assert 1.5 < one.total.bytes_per_token < 5
