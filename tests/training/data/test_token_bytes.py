"""Bytes of tokens: for each kind of tokenizer they add up to the bytes of the texts that it encodes."""

import json
from typing import Any

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from training.data.token_bytes import sizes_of_tokens

CODE = "def sail(boat):\n        if boat.wind > 8:\n                return boat.home()\n\n"
PROSE = "The boats came back to Måløy before noon – nobody counted the baskets!\nToo many "
TEXTS = (CODE, PROSE, "a return a", "ab")
ALPHABET = pre_tokenizers.ByteLevel.alphabet()
SPACED = decoders.Replace("▁", " ")
PREPENDED = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])  # as Llama 2
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
END = 0


def trained(model: Any, *, alphabet: list[str] = ALPHABET, decoder: Any = None, **steps: Any) -> Tokenizer:
    """A tokenizer of a few hundred tokens, of which the end of text is the first."""
    own = Tokenizer(model)
    own.decoder = decoder or decoders.ByteLevel()
    for name, step in steps.items():
        setattr(own, name, step)
    common: dict[str, Any] = {"vocab_size": 700, "special_tokens": ["</s>", "<unk>"], "show_progress": False}
    trainer: Any
    if isinstance(model, models.Unigram):
        trainer = trainers.UnigramTrainer(unk_token="<unk>", **common)
    else:
        suffix = model.end_of_word_suffix or ""
        trainer = trainers.BpeTrainer(initial_alphabet=alphabet, end_of_word_suffix=suffix, **common)
    own.train_from_iterator([*TEXTS] * 5, trainer)
    return own


def level(**options: Any) -> Tokenizer:
    return trained(models.BPE(**options), pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False))


def level_with_a_space() -> Tokenizer:
    return trained(models.BPE(), pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True))


def pieces(model: Any, **steps: Any) -> Tokenizer:
    return trained(model, decoder=SPACED, alphabet=[], **steps)


def fallback() -> Tokenizer:
    """Knows letters of ASCII, and spells others in bytes."""
    vocabulary = dict.fromkeys(["</s>", "<unk>", "▁", *BYTES, *map(chr, range(33, 127))])
    numbered = {name: number for number, name in enumerate(vocabulary)}
    own = Tokenizer(models.BPE(numbered, [], byte_fallback=True, unk_token="<unk>"))
    own.normalizer = PREPENDED
    own.decoder = SPACED
    own.add_special_tokens(["</s>", "<unk>"])
    return own


def with_words(own: Tokenizer, *contents: str, **options: Any) -> Tokenizer:
    own.add_tokens([AddedToken(content, special=False, **options) for content in contents])
    return own


RUNS = tuple(" " * length for length in range(24, 1, -1))


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(level(), id="byte level"),
        pytest.param(level_with_a_space(), id="byte level with a space before the text"),
        pytest.param(level(end_of_word_suffix="</w>"), id="byte level with ends of words"),
        pytest.param(with_words(level(), *RUNS, normalized=True), id="added runs of spaces"),
        pytest.param(with_words(level(), "boat", "return", "ø"), id="added words"),
        pytest.param(with_words(level_with_a_space(), "return"), id="added word, space before the text"),
        pytest.param(pieces(models.Unigram(), pre_tokenizer=pre_tokenizers.Metaspace()), id="Unigram"),
        pytest.param(
            pieces(models.BPE(), pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="never")), id="no prefix"
        ),
        pytest.param(pieces(models.BPE(), normalizer=PREPENDED), id="normaliser that prepends"),
        pytest.param(with_words(pieces(models.BPE(), normalizer=PREPENDED), "▁▁", normalized=False), id="added pieces"),
        pytest.param(fallback(), id="pieces of single bytes"),
        pytest.param(
            trained(models.BPE(), normalizer=normalizers.NFC(), pre_tokenizer=level().pre_tokenizer), id="NFC"
        ),
    ],
)
def test_documents_have_the_bytes_of_their_text(own: Tokenizer) -> None:
    sizes = sizes_of_tokens(json.loads(own.to_str()), own.get_vocab_size(), END)
    assert sizes is not None
    for text in TEXTS:
        ids = own.encode(text, add_special_tokens=False).ids
        assert sizes[[*ids, END]].sum() == len(text.encode()), text


@pytest.mark.parametrize("normalized", [True, False])
def test_words_added_to_a_tokenizer_that_prepends_to_what_follows_them(normalized: bool) -> None:
    own = with_words(pieces(models.BPE(), normalizer=PREPENDED), "return", normalized=normalized)
    sizes = sizes_of_tokens(json.loads(own.to_str()), own.get_vocab_size(), END)
    assert sizes is not None
    ids = own.encode(CODE, add_special_tokens=False).ids
    assert own.token_to_id("return") in ids
    assert sizes[[*ids, END]].sum() == len(CODE.encode())


def bert() -> Tokenizer:
    own = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    own.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return own


def clip() -> Tokenizer:
    cut = pre_tokenizers.Split(Regex(r"\w+|[^\s\w]+"), "removed", invert=True)
    return trained(models.BPE(end_of_word_suffix="</w>"), pre_tokenizer=cut)


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(bert(), id="WordPiece"),
        pytest.param(clip(), id="words without the spaces between"),
        pytest.param(pieces(models.BPE(), normalizer=normalizers.NFKC()), id="wide signs become others"),
        pytest.param(pieces(models.BPE(), normalizer=normalizers.Replace(Regex(" {2,}"), " ")), id="runs of spaces"),
        pytest.param(trained(models.BPE(), normalizer=normalizers.StripAccents()), id="accents"),
        pytest.param(with_words(level(), "boat", lstrip=True), id="a word that swallows spaces"),
        pytest.param(with_words(level(), "boat", rstrip=True), id="a word that swallows spaces behind it"),
    ],
)
def test_tokenizers_that_do_not_show_the_text(own: Tokenizer) -> None:
    assert sizes_of_tokens(json.loads(own.to_str()), own.get_vocab_size(), END) is None


def test_special_and_unknown_tokens_are_no_text() -> None:
    own = fallback()
    sizes = sizes_of_tokens(json.loads(own.to_str()), own.get_vocab_size())
    assert sizes is not None
    found = [int(sizes[own.get_vocab()[name]]) for name in ("</s>", "<unk>", "<0x0A>", "▁", "a")]
    assert found == [0, 0, 1, 1, 1]


def test_nothing_is_known_without_a_model() -> None:
    assert sizes_of_tokens({}, 3) is None
