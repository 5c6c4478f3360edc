"""The plan shows which tokens begin and end each document, and a run has them, from the rows to the export."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.core.errors import RecipeError, StageError
from curation.core.manifest import RunRecord, read_manifest
from curation.engine.driver import runner
from curation.engine.driver.dry_run import dry_run
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.tokens.export.megatron import export_megatron
from curation.tokens.export.parquet import export_parquet
from curation.tokens.shards import TokenData
from tests.curation.engine.inputs import write_sources
from tests.curation.tokens.encoders.public_tokenizers import every
from tests.curation.tokens.encoders.test_piece_model import trained

FIT = "  - fit: {tokenizer: {vocab_size: 300}}\n"
TOKENIZE = 'tokenize: {tokenizer: "@tokenizer"'
ROW = 33


def recipe(folder: Path, tokenize: str) -> str:
    """With options of `tokenize` that name a tokenizer."""
    text = write_sources(folder)
    assert FIT in text
    assert TOKENIZE in text
    text = text.replace(FIT, "").replace(TOKENIZE, f"tokenize: {{{tokenize}")
    return text.replace("pack: {", "pack: {method: best_fit, ")


def curate(text: str, output: Path) -> RunRecord:
    return runner.curate(parse(text, "m.yaml"), str(output), Inline())


def told(text: str, output: Path) -> tuple[str, ...]:
    """The notes of the stages that tokenize."""
    return tuple(
        note for line in dry_run(parse(text, "m.yaml"), str(output)) if line.node.verb.encodes for note in line.notes
    )


def test_the_plan_shows_the_tokens_around_a_document(tmp_path: Path) -> None:
    folder = every["llama_2"]().write(tmp_path / "llama")
    ids = every["llama_2"]().library.token_to_id
    out = tmp_path / "run"
    (begun,) = set(told(recipe(tmp_path, f"tokenizer: {folder}"), out))
    assert begun == f"each document begins with <s> (id {ids('<s>')}) and ends with </s> (id {ids('</s>')})"
    (plain,) = set(told(recipe(tmp_path, f"tokenizer: {folder}, begin: none, end: <unk>"), out))
    assert plain == f"each document begins with its text and ends with <unk> (id {ids('<unk>')})"
    (fitted,) = set(told(write_sources(tmp_path), out))
    assert fitted == "each document begins with its text and ends with <|endoftext|>, of the tokenizer that is fitted"


def test_what_auto_cannot_know_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(trained())
    text = recipe(tmp_path, f"tokenizer: {tmp_path}/tokenizer.model")
    line = 1 + text[: text.index("tokenize:")].count("\n")
    with pytest.raises(RecipeError, match=rf'm\.yaml:{line}.* write `begin: "<s>"` or `begin: none` in `tokenize`'):
        dry_run(parse(text, "m.yaml"), str(tmp_path / "run"))


def test_a_run_begins_each_document_once(tmp_path: Path) -> None:
    """Also one that best-fit packing cuts, and in both exports."""
    made = every["llama_2"]()
    folder = made.write(tmp_path / "llama")
    begin, end = made.library.token_to_id("<s>"), made.library.token_to_id("</s>")
    run = curate(recipe(tmp_path, f"tokenizer: {folder}"), tmp_path / "run")
    data = TokenData.open(str(tmp_path / "run"))
    assert (data.begin_of_text, data.end_of_text, data.row_tokens) == (begin, end, ROW)
    documents = 0
    for stage in run.stages:
        manifest = read_manifest(str(tmp_path / "run" / stage.folder))
        assert manifest is not None
        if stage.verb.encodes:
            options = manifest.address_parts["config"]["encode"]
            assert (options["begin"], options["end"], options["pattern"]) == ("<s>", "</s>", "auto")
            assert (tmp_path / "run" / stage.folder / "_tokenizer.json").read_bytes() == (
                folder / "tokenizer.json"
            ).read_bytes()
        if stage.verb.packs:
            assert manifest.tokens is not None
            assert (manifest.tokens["begin_of_text"], manifest.tokens["end_of_text"]) == (begin, end)
            for part in manifest.tokens["parts"]:
                path = tmp_path / "run" / stage.folder / part["name"]
                rows = np.fromfile(f"{path}.bin", "<u2").reshape(-1, ROW)
                for one in pq.read_table(f"{path}.parquet").to_pylist():
                    own = rows[one["row"]][one["position"] : one["position"] + one["length"]]
                    if not one["padding"]:
                        assert (own[0] == begin) == (one["doc_offset"] == 0)
                        assert not (own[1:] == begin).any()
                documents += part["documents"]
                assert part["cut"] or not part["rows"]
    export_parquet(str(tmp_path / "run"), str(tmp_path / "rows"))
    assert f"id {begin} begins a document and id {end} ends it" in (tmp_path / "rows" / "README.md").read_text()
    files = export_megatron(str(tmp_path / "run"), str(tmp_path / "megatron"))["files"]
    tokens = np.concatenate([np.fromfile(f"{file['prefix']}.bin", "<u2") for file in files])
    ends = np.flatnonzero(tokens == end)
    assert len(ends) == documents
    assert (tokens[np.concatenate([[0], ends[:-1] + 1])] == begin).all()
    assert np.count_nonzero(tokens == begin) == documents


def test_the_address_has_the_tokens_and_not_the_files_that_say_them(tmp_path: Path) -> None:
    folder = every["llama_2"]().write(tmp_path / "llama")
    addresses = []
    for options in ("", ', begin: "<s>", end: "</s>"', ", begin: none"):
        lines = dry_run(parse(recipe(tmp_path, f"tokenizer: {folder}{options}"), "m.yaml"), str(tmp_path / "run"))
        addresses.append([line.address for line in lines if line.node.verb.encodes])
    assert addresses[0] == addresses[1] != addresses[2]


def test_sources_whose_documents_begin_differently_are_not_packed_together(tmp_path: Path) -> None:
    folder = every["llama_2"]().write(tmp_path / "llama")
    text = recipe(tmp_path, f"tokenizer: {folder}")
    (stage,) = (line for line in text.splitlines(keepends=True) if "tokenize:" in line)
    apart = text.replace(stage, "").replace("  - dedup: {exact: {}}\n", "")
    apart = apart.replace("    - filter: {gopher_quality: {}}\n", f"  {stage}")
    apart = apart.replace('books.jsonl"], url: url}}\n', f'books.jsonl"], url: url}}}}\n  {stage}')
    curate(apart, tmp_path / "run")
    other = apart.replace("tokenize: {", "tokenize: {begin: none, ", 1)
    with pytest.raises(StageError, match="would mix documents that begin and end with <s> and </s> or none and </s>"):
        curate(other, tmp_path / "run")
