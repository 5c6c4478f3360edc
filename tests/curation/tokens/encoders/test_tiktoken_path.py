"""tiktoken gives the ids of `tokenizers` for whatever text, with every way of cutting it that it takes over."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.tokens.encoders import tiktoken_path
from curation.tokens.encoders.tiktoken_path import TiktokenPath
from curation.tokens.encoders.word_pattern import Inexpressible
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
    numbers = [*range(0xD800), *range(0xE000, 0x20000, 5)]
    for size in (1, 7):  # each beside a letter, and among others
        both.check(" x".join("".join(map(chr, numbers[at : at + size])) for at in range(0, len(numbers), size * 3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "P", "S", "Z", "C"])
def test_both_engines_know_the_same_characters(name: str) -> None:
    """All of Unicode; `TiktokenPath` itself looks at a part of it."""
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    for one in (rf"\p{{{name}}}", r"\s", r"\d")[: 3 if name == "L" else 1]:
        assert tiktoken_path._found_by_tiktoken(one, every) == tiktoken_path._found_by_tokenizers(f"{one}+", every)


@pytest.mark.parametrize(
    ("pre_tokenizer", "why"),
    [
        pytest.param(files.sequence(files.split(r"\s{1,4}"), files.GPT2), "a part of that", id="part of a class"),
        pytest.param(
            files.sequence(files.split(r"\p{N}{1,3}"), files.split(r"\p{N}{1,2}|\P{N}+"), files.BYTES),
            "once more",
            id="smaller groups",
        ),
        pytest.param(files.sequence(files.split("(?i:ss)|[^s]"), files.BYTES), "may stand for 'ss'", id="sharp s"),
        pytest.param(files.sequence(files.split("[z-a]|."), files.BYTES), "not read here", id="no expression"),
    ],
)
def test_refused(pre_tokenizer: dict[str, Any], why: str) -> None:
    with pytest.raises(Inexpressible, match=why):
        TiktokenPath(files.stated(pre_tokenizer))


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
