"""tiktoken takes the place of `tokenizers` where it gives the same ids, and `tokenizers` takes over where it fails."""

import logging
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError, StageError
from curation.tokens.encoders import tokenizer_json
from curation.tokens.encoders.encoder_probe import CODE, PROSE
from curation.tokens.encoders.tiktoken_path import TiktokenPath
from curation.tokens.encoders.tokenizer_json import TokenizerJson
from tests.curation.tokens import byte_pair_files as files

TEXTS = ["It's 2024.", "", None, "<|endoftext|> in a text", "字 été"]


def array(*texts: str | None) -> pa.Array:
    return pa.array(texts, pa.large_string())


def loaded(stated: dict[str, Any]) -> TokenizerJson:
    return TokenizerJson(files.content(stated), "given.json")


def ids(tokenizer: TokenizerJson, *texts: str | None) -> list[list[int]]:
    return [found.tolist() for found in tokenizer.ids(array(*texts))]


def expected(tokenizer: TokenizerJson, *texts: str | None) -> list[list[int]]:
    return [found.tolist() for found in tokenizer.library_ids(array(*texts))]


def reason(stated: dict[str, Any], caplog: pytest.LogCaptureFixture, *texts: str) -> str:
    """What the log says of which library encodes; the ids are those of `tokenizers` in any case."""
    tokenizer = loaded(stated)
    with caplog.at_level(logging.INFO, "curation.tokens.encoders.tokenizer_json"):
        assert ids(tokenizer, *TEXTS, *texts) == expected(tokenizer, *TEXTS, *texts)
    (line,) = caplog.messages
    return line.removeprefix("given.json: encoding with ")


def test_tiktoken_encodes_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    assert reason(files.stated(), caplog) == "tiktoken, which gives the same ids as tokenizers"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"pre_tokenizer": None}, "it does not work on bytes", id="no pre-tokenizer"),
        pytest.param({"pre_tokenizer": files.BYTES}, "it cuts text by nothing", id="no words"),
        pytest.param({"pre_tokenizer": {**files.GPT2, "add_prefix_space": True}}, "it puts a space", id="space"),
        pytest.param({"normalizer": {"type": "Lowercase"}}, "it normalizes text (Lowercase)", id="normalizer"),
    ],
)
def test_tokenizers_encodes_what_tiktoken_cannot(
    changes: dict[str, Any], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert reason(files.stated() | changes, caplog).startswith(f"tokenizers, not with tiktoken: {why}")


def test_tokens_that_are_taken_out_of_the_text_are_left_to_tokenizers(caplog: pytest.LogCaptureFixture) -> None:
    stated = files.stated()
    number = len(stated["model"]["vocab"])
    token = {**stated["added_tokens"][0], "id": number, "content": "<tool>", "special": False}
    stated["added_tokens"].append(token)
    assert reason(stated, caplog, "a <tool> b") == "tiktoken, which gives the same ids as tokenizers"
    assert number in ids(loaded(stated), "a <tool> b")[0]


def test_text_that_the_normalizer_changes_is_left_to_tokenizers(caplog: pytest.LogCaptureFixture) -> None:
    stated = files.stated() | {"normalizer": {"type": "NFC"}}
    assert reason(stated, caplog, "e\u0301te\u0301", "été") == "tiktoken, which gives the same ids as tokenizers"
    decomposed, composed = ids(loaded(stated), "e\u0301te\u0301", "été")
    assert decomposed == composed


def test_a_difference_in_the_sample_keeps_tiktoken_out(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_for(monkeypatch, "'TWAS")
    assert reason(files.stated(), caplog, "'TWAS").startswith(
        'tokenizers, not with tiktoken: it gives other ids for "It'
    )


@pytest.mark.parametrize(("length", "seen"), [(65_000, True), (65_536, False)])
def test_the_first_texts_are_encoded_by_both(length: int, seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_for(monkeypatch, "xyzzy")
    texts = ("a " * (length // 2), "an xyzzy")
    if seen:
        with pytest.raises(StageError, match="The document begins: 'an xyzzy'"):
            ids(loaded(files.stated()), *texts)
    else:
        assert len(ids(loaded(files.stated()), *texts)) == 2


def test_a_difference_later_ends_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """One document in 1,024 is checked; of 20,000 different wrong ones some are among them."""
    tokenizer = loaded(files.stated())
    ids(tokenizer, "right " * 20_000)
    wrong_for(monkeypatch, "wrong")
    with pytest.raises(StageError, match=r"with given\.json, tiktoken and tokenizers encode a document differently"):
        ids(tokenizer, *(f"wrong {number}" for number in range(20_000)))
    assert ids(tokenizer, *(f"right {number}" for number in range(3000)))


def wrong_for(monkeypatch: pytest.MonkeyPatch, marked: str) -> None:
    """As if tiktoken lost the last token of texts that hold `marked`."""
    right = TiktokenPath.encode

    def encode(self: TiktokenPath, text: str) -> Any:
        found = right(self, text)
        return found[:-1] if found is not None and marked in text else found

    monkeypatch.setattr(TiktokenPath, "encode", encode)


@pytest.mark.parametrize("run", [" ", *(pytest.param(run, marks=pytest.mark.soak) for run in ("\n", " \n"))])
def test_runs_that_tiktoken_gives_up_on_are_left_to_tokenizers(run: str) -> None:
    tokenizer = loaded(files.stated())
    text = "a" + run * (1_500_000 // len(run)) + "b"
    path = TiktokenPath(files.stated())
    assert path.encode(text) is None
    assert ids(tokenizer, "x", text) == expected(tokenizer, "x", text)


def test_very_long_words() -> None:
    tokenizer = loaded(files.stated())
    texts = ["a" * 300_000, "ab" * 100_000, ".," * 100_000, "7" * 100_000, "é字" * 50_000]
    assert ids(tokenizer, *texts) == expected(tokenizer, *texts)


@pytest.mark.parametrize("piece", [500, 777])
def test_a_long_text_goes_to_tokenizers_in_pieces(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (PROSE + CODE) * 3
    for name in ("GPT-2", "up to three digits", "single digits"):
        tokenizer = loaded(files.stated(files.PRE_TOKENIZERS[name]))
        (whole,) = expected(tokenizer, text)
        monkeypatch.setattr(tokenizer_json, "PIECE", piece)
        assert len(list(tokenizer._pieces(text))) > len(text) // piece // 4
        assert expected(tokenizer, text, text[:50], "") == [whole, *expected(tokenizer, text[:50], "")]
        monkeypatch.undo()


def test_a_tokenizer_that_puts_a_space_first_is_cut_before_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = loaded(files.stated({**files.GPT2, "add_prefix_space": True}))
    (whole,) = expected(tokenizer, PROSE)
    monkeypatch.setattr(tokenizer_json, "PIECE", 100)
    pieces = list(tokenizer._pieces(PROSE))
    assert len(pieces) > 5
    assert all(piece.startswith((" ", "\n")) for piece in pieces[1:])
    assert expected(tokenizer, PROSE) == [whole]


def test_a_long_text_that_cannot_be_cut_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_json, "PIECE", 100)
    assert list(loaded(files.stated())._pieces("字" * 1000)) == ["字" * 1000]


def test_tokens_are_bytes_and_special_ones_names() -> None:
    tokens = loaded(files.stated()).tokens()
    assert (tokens[0], tokens[1]) == ("<|endoftext|>", "<|padding|>")
    assert {bytes([byte]) for byte in range(256)} <= set(tokens.values())
    assert b"It's " in tokens.values()


def replacing(*contents: str, pattern: str = "a") -> dict[str, Any]:
    steps = [{"type": "Replace", "pattern": {"String": pattern}, "content": content} for content in contents]
    return {"type": "Sequence", "normalizers": steps}


def test_replacements_that_double_a_text_again_and_again() -> None:
    stated = files.stated(files.GPT2)
    loaded({**stated, "normalizer": replacing(*["aa"] * 9)})
    with pytest.raises(InputError, match=r"given\.json replaces text by up to 1e\+03 times as much"):
        loaded({**stated, "normalizer": replacing(*["aa"] * 10)})
    with pytest.raises(InputError, match=r"given\.json replaces text by up to 1e\+12 times as much"):
        loaded({**stated, "normalizer": {"type": "Sequence", "normalizers": [replacing(*["aa"] * 40)]}})


def test_a_text_put_before_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = files.stated(files.GPT2)
    loaded({**stated, "normalizer": {"type": "Prepend", "prepend": "a" * 1000}})
    with pytest.raises(InputError, match=r"given\.json replaces text by up to 1e\+03 times as much"):
        loaded({**stated, "normalizer": {"type": "Prepend", "prepend": "a" * 1001}})


def special(*names: str) -> list[dict[str, Any]]:
    marks = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [{"id": 1000 + at, "content": name, "special": True, **marks} for at, name in enumerate(names)]


def test_a_special_token_with_a_long_name() -> None:
    stated = files.stated(files.GPT2)
    loaded({**stated, "added_tokens": special("a" * 1000)})
    with pytest.raises(InputError, match=r"special token of 1,001 characters, which begins 'aaaaaaa.*at most 1,000"):
        loaded({**stated, "added_tokens": special("a" * 1001)})


def test_a_pattern_that_the_library_gives_up_on_at_a_special_token() -> None:
    pattern = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    with pytest.raises(InputError, match=r"cannot encode the names of its own special tokens.*retry-limit-in-match"):
        loaded({**files.stated(files.GPT2), "pre_tokenizer": pattern, "added_tokens": special("a" * 60 + "!")})


def test_a_panic_of_the_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    class Panicking:
        @staticmethod
        def from_str(_: str) -> None:
            raise PanicException("index out of bounds")

    monkeypatch.setattr(tokenizer_json.tokenizers, "Tokenizer", Panicking)
    with pytest.raises(InputError, match=r"given\.json is not a tokenizer\.json of the tokenizers library: index out"):
        TokenizerJson(b"{}", "given.json")
