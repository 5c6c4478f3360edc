"""A tokenizer's file gives its vocabulary and end-of-text, or one clear error."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers

from curation.core.errors import InputError
from curation.tokens.encoders.load_tokenizer import load, load_text
from curation.tokens.encoders.text_ends import ENDS
from tests.curation.tokens import byte_pair_files as files
from tests.curation.tokens.encoders.test_piece_model import trained


def foreign(folder: Path, **vocabulary: int) -> str:
    """Of these tokens; the library itself would write a line for every id that is missing."""
    stated = json.loads(tokenizers.Tokenizer(models.BPE()).to_str())
    stated["model"]["vocab"] = vocabulary
    (folder / "other.json").write_text(json.dumps(stated))
    return str(folder / "other.json")


def test_a_tokenizer_from_elsewhere_gets_a_padding_id_of_its_own(tmp_path: Path) -> None:
    vocabulary = load(foreign(tmp_path, **{"a": 0, "</s>": 1, "b": 2})).vocabulary
    assert (vocabulary.end_of_text, vocabulary.padding, vocabulary.size) == (1, 3, 4)


def test_a_tokenizer_without_end_of_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no end-of-text token \(<\|endoftext\|> or"):
        load(foreign(tmp_path, a=0))


def test_a_tokenizer_that_drops_letters_says_so(tmp_path: Path) -> None:
    said = load(foreign(tmp_path, **{"a": 0, "</s>": 1, "b": 2})).text.warning()
    assert re.search(
        r"other\.json has no token for \d{3} of \d{3} letters of many scripts \(A .* …\) and would drop", said
    )
    known = tokenizers.Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    known.add_special_tokens(["</s>"])
    known.save(str(tmp_path / "known.json"))
    assert load(str(tmp_path / "known.json")).text.warning() == ""
    (tmp_path / "bytes.json").write_bytes(files.content(files.stated()))
    assert load(str(tmp_path / "bytes.json")).text.warning() == ""


def test_a_file_that_is_no_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": 1}')
    with pytest.raises(InputError, match=r"config\.json is not a tokenizer\.json"):
        load(str(tmp_path / "config.json"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file at"):
        load(str(tmp_path / "none.json"))


@pytest.mark.parametrize("end", ENDS)
def test_ends_of_text_that_are_known(tmp_path: Path, end: str) -> None:
    assert load(foreign(tmp_path, a=0, **{end: 1})).vocabulary.end_of_text == 1


def test_ids_may_have_holes(tmp_path: Path) -> None:
    found = load(foreign(tmp_path, **{"a": 3, "</s>": 70_000}))
    assert (found.vocabulary.size, found.vocabulary.padding, found.vocabulary.dtype.name) == (70_002, 70_001, "uint32")
    tokens = found.tokens()
    assert len(tokens) == 70_002
    assert (tokens[0], tokens[3]) == ("", b"a")


@pytest.mark.parametrize(("largest", "dtype"), [(65_534, "uint16"), (65_535, "uint32")])
def test_ids_take_two_bytes_where_padding_fits_too(tmp_path: Path, largest: int, dtype: str) -> None:
    assert load(foreign(tmp_path, **{"a": 0, "</s>": largest})).vocabulary.dtype.name == dtype


def test_ids_that_a_list_of_all_cannot_hold(tmp_path: Path) -> None:
    loaded = load(foreign(tmp_path, **{"a": 0, "</s>": 2**24 - 2}))
    assert len(loaded.tokens()) == loaded.vocabulary.size == 2**24
    load.cache_clear()
    load_text.cache_clear()
    with pytest.raises(InputError, match=r"token ids up to 16,777,216; they must be below 2\^24"):
        load(foreign(tmp_path, **{"a": 0, "</s>": 2**24 - 1}))


def test_an_end_of_text_that_text_can_become(tmp_path: Path) -> None:
    library = tokenizers.Tokenizer(models.BPE(vocab={"a": 0}, merges=[]))
    library.add_tokens([AddedToken("</s>", special=False)])
    (tmp_path / "other.json").write_text(library.to_str())
    with pytest.raises(InputError, match="encodes text that spells out </s> as that token; mark it as a special token"):
        load(str(tmp_path / "other.json"))


def test_special_tokens_that_are_pieces_to_the_model_are_spelt_out(tmp_path: Path) -> None:
    """As in T5's file: `</s>` has a score of its own in a Unigram model, so that text could become it."""
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((one, -1.0) for one in "▁</s>ab")]
    library = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=2, byte_fallback=False))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.decoder = decoders.Metaspace()
    library.add_special_tokens(["<pad>", "</s>", "<unk>"])
    library.encode_special_tokens = True
    assert 1 in library.encode("a</s>b", add_special_tokens=False).ids
    (tmp_path / "t5.json").write_text(library.to_str())
    found = load(str(tmp_path / "t5.json"))
    texts = pa.array(["a</s>b</s>", "</s>", "ab", "<pad>"], pa.large_string())
    ids = found.encode(texts).to_pylist()
    assert [one[-1] for one in ids] == [1] * 4
    assert not any({0, 1} & set(one[:-1]) for one in ids)
    assert found.encode_by_library(texts).to_pylist() == ids
    assert found.decode(ids[0][:-1]).replace(" ", "") == "a</s>b</s>"
    assert 2 in ids[3]  # p is unknown


def test_a_sentencepiece_model(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(trained())
    found = load(str(tmp_path / "tokenizer.model"), "none")
    assert (found.vocabulary.size, found.vocabulary.end_of_text, found.vocabulary.padding) == (651, 2, 650)
    encoded = found.encode(pa.array(["It's </s> here.", None], pa.large_string()))
    assert encoded.type == pa.large_list(pa.uint16())
    first, second = encoded.to_pylist()
    assert found.decode(first[:-1]) == "It's </s> here."
    assert (first.count(2), first[-1], second) == (1, 2, [2])


def test_content_tells_the_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "named.json").write_bytes(trained())
    (tmp_path / "named.model").write_bytes(files.content(files.stated()))
    model = load(str(tmp_path / "named.json"), "none")
    text = load(str(tmp_path / "named.model"))
    assert (model.vocabulary.file, text.vocabulary.file) == ("tokenizer.model", "tokenizer.json")
