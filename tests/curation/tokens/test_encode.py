"""Ids end in end-of-text, decode to the text, and copies of a text fall on one side of the split."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.fit.tokenizer import Tokenizer
from curation.tokens.encode import Encode
from curation.tokens.encoders.load_tokenizer import load
from tests.curation.tokens import byte_pair_files as files
from tests.curation.tokens.encoders.public_tokenizers import every
from tests.curation.tokens.encoders.test_merges_file import written
from tests.support import documents, learned

MANY = documents(*(f"document number {i}" for i in range(20_000)))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("encode") / "tokenizer.json"
    text = pa.array(["document number 1 of the numbers\n" * 50], pa.large_string())
    file.write_bytes(learned(Tokenizer(vocab_size=300), [text]))
    return str(file)


def splits(encoder: Encode, batch: pa.RecordBatch) -> list[str]:
    found: list[str] = encoder.encode(batch)["split"].to_pylist()
    return found


def test_tokens_decode_to_the_text_and_end_in_end_of_text(path: str) -> None:
    texts = ["document 1", "", "<|endoftext|> été 😀"]
    tokens = Encode(tokenizer=path).encode(documents(*texts))["tokens"]
    assert tokens.type == pa.large_list(pa.uint16())
    for ids, text in zip(tokens.to_pylist(), texts, strict=True):
        assert ids[-1] == 0
        assert min(ids[:-1], default=2) >= 2
        assert load(path).decode(ids[:-1]) == text


def begun(folder: Path) -> Encode:
    return Encode(tokenizer=str(every["llama_2"]().write(folder)))


def test_documents_begin_and_end_as_the_options_say(tmp_path: Path) -> None:
    encoder = begun(tmp_path)
    ids = every["llama_2"]().library.token_to_id
    begin, end = ids("<s>"), ids("</s>")
    batch = documents("a b", "", None, "<s> c</s>")
    first, *empty, spelt = encoder.encode(batch)["tokens"].to_pylist()
    assert (first[0], first[-1], empty) == (begin, end, [[begin, end]] * 2)
    assert (spelt.count(begin), spelt.count(end)) == (1, 1)
    for options, around in (({"begin": "none"}, [end]), ({"begin": "</s>", "end": "<unk>"}, [end, ids("<unk>")])):
        found = replace(encoder, **options).encode(batch)["tokens"].to_pylist()
        assert found[1] == around
        assert found[0][len(around) - 1 : -1] == first[1:-1]


def test_the_values_that_auto_stands_for(tmp_path: Path) -> None:
    encoder = begun(tmp_path)
    resolved = encoder.resolved()
    assert (resolved.begin, resolved.end, resolved.pattern) == ("<s>", "</s>", "auto")
    assert resolved.resolved() == resolved
    assert replace(encoder, begin="none").resolved().begin == "none"
    fitted = Encode(tokenizer="@tokenizer")
    assert fitted.resolved() == fitted


def test_files_that_may_say_the_begin_are_its_own(tmp_path: Path) -> None:
    """They go with a job to other machines; once begin and end are known, they are not read."""
    encoder = begun(tmp_path)
    main, config = (str(tmp_path / name) for name in ("tokenizer.json", "tokenizer_config.json"))
    assert encoder.assets() == {"tokenizer": (main, config)}
    assert encoder.resolved().assets() == {"tokenizer": (main,)}
    listed = Encode(tokenizer=(main, config))
    assert listed.resolved() == replace(listed, begin="<s>", end="</s>")
    named = Encode(tokenizer=main, begin="none", end="</s>")
    assert named.assets() == {"tokenizer": main}


def test_tokens_that_only_the_config_of_a_pair_has_stay(tmp_path: Path) -> None:
    """Where begin and end are known, and the files are given by their paths, as on another machine."""
    added = {"3000": {"content": "<|im_start|>", "special": True}}
    config = {"added_tokens_decoder": added, "eos_token": "<|im_start|>", "tokenizer_class": "Qwen2Tokenizer"}
    encoder = Encode(tokenizer=written(tmp_path, files.stated(), **config))
    resolved = encoder.resolved()
    assert (resolved.begin, resolved.end, resolved.pattern) == ("none", "<|im_start|>", "qwen")
    names = resolved.assets()["tokenizer"]
    assert [Path(name).name for name in names] == ["vocab.json", "merges.txt", "tokenizer_config.json"]
    elsewhere = replace(resolved, tokenizer=names)
    batch = documents("it's 12", "<|im_start|>")
    assert elsewhere.encode(batch)["tokens"] == encoder.encode(batch)["tokens"]
    assert elsewhere.loaded().vocabulary == encoder.loaded().vocabulary


def test_its_columns_are_declared(path: str) -> None:
    encoder = Encode(tokenizer=path)
    for batch in (documents("a b", "c"), documents()):
        columns = encoder.encode(batch)
        assert {name: values.type for name, values in columns.items()} == encoder.signal_types()


def test_large_vocabularies_take_four_bytes(path: str, tmp_path: Path) -> None:
    content = (
        Path(path).read_text().replace('"id": 1,', '"id": 70000,').replace('"<|padding|>": 1,', '"<|padding|>": 70000,')
    )
    (tmp_path / "large.json").write_text(content)
    tokens = Encode(tokenizer=str(tmp_path / "large.json")).encode(documents("document"))["tokens"]
    assert tokens.type == pa.large_list(pa.uint32())


@pytest.mark.parametrize(
    ("fraction", "at_least", "at_most"), [(0.0, 0, 0), (0.005, 60, 140), (0.5, 9_600, 10_400), (1.0, 20_000, 20_000)]
)
def test_fraction_held_out(path: str, fraction: float, at_least: int, at_most: int) -> None:
    """Four standard deviations or more around 100 and 10,000 of 20,000."""
    held_out = splits(Encode(tokenizer=path, validation=fraction), MANY).count("validation")
    assert at_least <= held_out <= at_most


def test_copies_fall_on_the_same_side(path: str) -> None:
    texts = [f"document {i}" for i in range(200)]
    encoder = Encode(tokenizer=path, validation=0.5)
    here = splits(encoder, documents(*texts))
    there = splits(encoder, documents(*reversed(texts), source=["other"] * 200))
    assert here == there[::-1]
    assert {*here} == {"train", "validation"}


def test_another_seed_is_another_split(path: str) -> None:
    batch = MANY.slice(0, 1000)
    here, there = (splits(Encode(tokenizer=path, validation=0.5, seed=seed), batch) for seed in (0, 1))
    assert 400 < sum(a == b for a, b in zip(here, there, strict=True)) < 600


def test_a_larger_fraction_holds_out_the_same_and_more(path: str) -> None:
    batch = MANY.slice(0, 1000)
    few, more = (splits(Encode(tokenizer=path, validation=fraction), batch) for fraction in (0.1, 0.2))
    assert all(b == "validation" for a, b in zip(few, more, strict=True) if a == "validation")


def test_a_source_may_have_a_fraction_of_its_own(path: str) -> None:
    batch = documents("a", "b", "c", source=["web", "books", "web"])
    encoder = Encode(tokenizer=path, validation=0.0, validation_by_source={"books": 1.0})
    assert splits(encoder, batch) == ["train", "validation", "train"]


@pytest.mark.parametrize("fraction", [-0.01, 1.01])
def test_fractions_lie_between_0_and_1(fraction: float) -> None:
    with pytest.raises(RecipeError, match="from 0 to 1"):
        Encode(tokenizer="x", validation=fraction)
    with pytest.raises(RecipeError, match="from 0 to 1"):
        Encode(tokenizer="x", validation_by_source={"web": fraction})


def test_the_tokenizer_is_an_asset(path: str) -> None:
    encoder = Encode(tokenizer=path)
    assert encoder.assets() == {"tokenizer": path}
    with pytest.raises(InputError, match="no file at"):
        Encode(tokenizer="/nowhere/tokenizer.json").assets()


def linked(clusters: list[int | None], name: str = "minhash") -> tuple[str, pa.Array]:
    """The column of a dedup method, of as many documents."""
    kind = pa.struct([("duplicate_of", pa.int64()), ("copies", pa.int64()), ("cluster", pa.int64())])
    return name, pa.array([{"cluster": cluster} for cluster in clusters], kind)


def test_documents_of_a_cluster_fall_on_one_side(path: str) -> None:
    clusters = [row // 4 for row in range(20_000)]
    found = splits(Encode(tokenizer=path, validation=0.5), MANY.append_column(*linked(clusters)))
    assert all(len(set(found[row : row + 4])) == 1 for row in range(0, 20_000, 4))
    assert 9_000 <= found.count("validation") <= 11_000


def test_the_last_stage_that_linked_a_document_counts(path: str) -> None:
    encoder = Encode(tokenizer=path, validation=0.5)
    batch = MANY.slice(0, 400)
    first = [row // 2 for row in range(400)]
    last = [0 if row < 100 else None for row in range(400)]
    found = splits(encoder, batch.append_column(*linked(first, "exact")).append_column(*linked(last)))
    assert len(set(found[:100])) == 1
    assert found[100:] == splits(encoder, batch.append_column(*linked(first)))[100:]


def test_the_fast_way_and_the_other_give_the_same(path: str) -> None:
    batch = documents("document 1", None, "<|endoftext|> it's été\n\n 2024")
    fast, slow = (Encode(tokenizer=path, fast=fast).encode(batch) for fast in (True, False))
    assert fast == slow
