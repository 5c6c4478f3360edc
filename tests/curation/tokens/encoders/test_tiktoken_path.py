"""tiktoken gives the ids of `tokenizers` for whatever text, with every way of cutting it that it takes over."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.core import token_names
from curation.tokens.encoders import tiktoken_path
from curation.tokens.encoders.tiktoken_path import Inexpressible, TiktokenPath, ranks_of
from tests.curation.tokens import byte_pair_files as files

FRAGMENTS = (
    *(" ", "  ", "   \t", "\n", "\r\n", "\n\n\n", "\u00a0", "\u3000", "\u200b", "\x1c", "\x85", "\0"),
    *("a", "The", " of", "été", "ſ", "ß", "ﬆ", "字", "か", "゛", "ー", "क्", "\u0301", "İ", "ǅ", "한"),
    *("1", "23", "4567", "½", "٣", "Ⅷ", "一", "'", "'s", "'LL", "'ſ", "’t", ".", ", ", "!?", "<|", "|>", "/", "//\n"),
    *("😀", "👩‍👧", "<|endoftext|>", "<|padding|>", "endoftext", "_", "$", "\\", "\ufeff", "\U000e0001", "\U0010ffff"),
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.tuples(st.sampled_from(FRAGMENTS), st.integers(1, 300), st.sampled_from(FRAGMENTS)).map(
        lambda parts: parts[0] * parts[1] + parts[2]
    ),
)


class Both:
    """The two encoders of one tokenizer.json."""

    def __init__(self, stated: dict[str, Any]) -> None:
        self.path = TiktokenPath(stated)
        self.library = tokenizers.Tokenizer.from_str(files.content(stated).decode())
        self.library.encode_special_tokens = True

    def expected(self, text: str) -> list[int]:
        return list(self.library.encode(text, add_special_tokens=False).ids)

    def check(self, text: str) -> None:
        found = self.path.encode(text)
        assert found is not None
        assert found.tolist() == self.expected(text)


KINDS = {
    **{name: files.stated(part) for name, part in files.PRE_TOKENIZERS.items()},
    "all pairs": files.with_all_pairs(files.stated(files.PRE_TOKENIZERS["up to three digits"])),
    "renumbered": files.renumbered(files.stated()),
}


@pytest.fixture(scope="module", params=list(KINDS))
def both(request: pytest.FixtureRequest) -> Both:
    return Both(KINDS[request.param])


def test_the_same_ids_for_any_text(both: Both) -> None:
    @settings(deadline=None, max_examples=150)
    @given(text=TEXTS)
    def check(text: str) -> None:
        both.check(text)

    check()


def test_the_same_ids_for_every_character(both: Both) -> None:
    numbers = [*range(0xD800), *range(0xE000, 0x20000, 5), *range(0x20000, 0x110000, 61)]
    for size in (1, 7):  # each beside a letter, and among others
        both.check(" x".join("".join(map(chr, numbers[at : at + size])) for at in range(0, len(numbers), size * 3)))


def test_every_known_way_is_tested() -> None:
    tested = {tiktoken_path._pattern(part) for part in files.PRE_TOKENIZERS.values()}
    assert tested == set(tiktoken_path.KNOWN.values())


@pytest.mark.parametrize(
    ("pre_tokenizer", "why"),
    [
        (None, "does not work on bytes"),
        ({"type": "Whitespace"}, "does not work on bytes"),
        (files.sequence(files.BYTES, files.split("a")), "does not work on bytes"),
        ({"type": "ByteLevel"}, "a space before the text"),
        (files.BYTES, "by nothing, not in a known way"),
        (files.sequence(files.split("a"), files.BYTES), "by 'a', not in a known way"),
        (files.sequence(files.split("a"), files.GPT2), "by 'a' and then by \"'s"),
        (files.sequence({**files.split(""), "pattern": {"String": "\n"}}, files.GPT2), "not in a known way"),
        (files.sequence(files.digits(individual=False), files.GPT2), "has a Digits"),
        (files.sequence({"type": "Punctuation"}, files.GPT2), "has a Punctuation"),
        (
            files.sequence(files.split(tiktoken_path.QWEN, behavior="MergedWithNext"), files.BYTES),
            "step that tiktoken cannot follow",
        ),
        (files.sequence(files.split(tiktoken_path.QWEN, invert=True), files.BYTES), "step that tiktoken cannot follow"),
    ],
)
def test_other_ways_to_cut_are_refused(pre_tokenizer: dict[str, Any] | None, why: str) -> None:
    with pytest.raises(Inexpressible, match=why):
        TiktokenPath(files.stated(pre_tokenizer))


def model(*merges: str, more: tuple[str, ...] = (), **options: Any) -> dict[str, Any]:
    """Single bytes, then what the merges make, then `more`; ids from 10 on."""
    names = dict.fromkeys([*token_names.BYTES, *(pair.replace(" ", "") for pair in merges), *more])
    vocabulary = {name: number for number, name in enumerate(names, 10)}
    return {"type": "BPE", "vocab": vocabulary, "merges": list(merges), **options}


def test_ranks_follow_the_merges_and_ids_the_vocabulary() -> None:
    ranks, ids = ranks_of(model("b c", "a bc", "Ġ abc"))
    assert [ranks[b"bc"], ranks[b"abc"], ranks[b" abc"]] == [256, 257, 258]
    assert ids.tolist() == list(range(10, 10 + 259))
    assert sorted(ranks.values()) == list(range(259))


def test_merges_as_pairs_are_read_like_merges_as_text() -> None:
    pairs = model("b c", "a bc") | {"merges": [["b", "c"], ["a", "bc"]]}
    assert ranks_of(pairs)[0] == ranks_of(model("b c", "a bc"))[0]


def test_every_pair_of_a_token_may_be_listed() -> None:
    ranks, _ = ranks_of(model("a b", "b c", "ab c", "a bc", ignore_merges=True))
    assert (ranks[b"ab"], ranks[b"bc"], ranks[b"abc"]) == (256, 257, 258)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        pytest.param(model("a b", "b c", "ab c", "b d", "a bc"), "make a token twice", id="pairs apart"),
        pytest.param(model("a b", more=("xyz",), ignore_merges=True), r"that no merge makes \(1 tokens\)", id="whole"),
        pytest.param(model("a b", dropout=0.1), "option dropout", id="dropout"),
        pytest.param(model("a b", end_of_word_suffix="</w>"), "option end_of_word_suffix", id="suffix"),
        pytest.param(model("a b", type="WordPiece"), "WordPiece, not BPE", id="model"),
        pytest.param(model("a b") | {"vocab": {"a": 0}}, "lacks '!', which is a byte", id="a byte that is no token"),
    ],
)
def test_models_that_are_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(Inexpressible, match=why):
        ranks_of(given)


def test_texts_with_nothing_to_do_before() -> None:
    stated = files.stated() | {"normalizer": {"type": "NFC"}}
    stated["added_tokens"].append({**stated["added_tokens"][0], "content": "a.b", "special": False})
    texts = pa.array(["a.b", "axb", None, "é", "e\u0301", "x a.b y"], pa.large_string())
    assert TiktokenPath(stated).able(texts).tolist() == [False, True, True, True, False, False]


def test_nothing_is_written_where_the_engine_gives_up(capfd: pytest.CaptureFixture[str]) -> None:
    assert TiktokenPath(files.stated()).encode("a" + " " * 1_500_000 + "b") is None
    assert capfd.readouterr() == ("", "")


def test_ids_do_not_depend_on_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    path = TiktokenPath(files.renumbered(files.stated()))
    whole = path.encode("It's 2024, été.")
    monkeypatch.setattr(tiktoken_path, "BLOCK", 3)
    assert np.array_equal(path.encode("It's 2024, été."), whole)
