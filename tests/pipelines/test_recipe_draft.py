"""A recipe that is drafted for a file can be planned, whatever the file's form; and one runs to the end."""

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from jsonschema import Draft7Validator

from curation.core.errors import InputError
from pipelines.api import plan, read_recipe
from pipelines.recipe_draft import draft
from pipelines.recipe_schema import recipe_schema
from tests.crawl import make_archives
from tests.curation.sources.test_corpus import DOLMA, FINE, tar, written
from tests.curation.sources.test_wet import archive
from tests.runs import winnow_here

EN = (
    "The harbour lies at the end of the old road, and the people who live there know that the wind comes from the sea. "
)
DE = "Der Hafen liegt am Ende der alten Straße, und die Leute, die dort leben, wissen, dass der Wind vom Meer kommt. "
EU = "Portua errepide zaharraren amaieran dago, eta bertan bizi den jendeak badaki haizea itsasotik datorrela beti. "


def recipe(*files: Path | str) -> dict[str, Any]:
    """The drafted recipe as data, after it has been planned and compared with the schema."""
    text = draft([str(file) for file in files], "mine")
    planned = plan(read_recipe(data := yaml.safe_load(text)), "none")
    assert [line.node.verb.name for line in planned][-4:] == ["fit", "tokenize", "pack", "mix"]
    assert [error.message for error in Draft7Validator(recipe_schema()).iter_errors(data)] == []
    assert text.startswith("# yaml-language-server: $schema=recipe.schema.json\n")
    assert text.endswith("- mix: {}\n")
    assert max(map(len, text.splitlines())) <= 120 + len(str(files[0]))
    result: dict[str, Any] = data
    return result


def chain(*files: Path | str) -> list[dict[str, Any]]:
    (stages,) = recipe(*files)["sources"].values()
    result: list[dict[str, Any]] = stages
    return result


def of(verb: str, stages: list[dict[str, Any]]) -> list[Any]:
    return [stage[verb] for stage in stages if verb in stage]


@pytest.mark.parametrize(
    ("name", "rows", "read"),
    [
        ("x.jsonl", [{"body": EN, "uuid": "1"}], {"jsonl": {"text": "body", "id": "uuid"}}),
        ("x.json.gz", [{"text": EN, "\n": "a"}], {"jsonl": {}}),
        ("x.parquet", [{"content": EN, "uri": "u"}], {"parquet": {"text": "content", "url": "uri"}}),
        ("dolma-v1_7/x.json.gz", [DOLMA | {"text": EN, "metadata": {"url": "u"}}], {"corpus": {"name": "dolma"}}),
        ("fineweb-2/0.parquet", [FINE | {"text": EN}], {"corpus": {"name": "fineweb_2"}}),
    ],
)
def test_files_with_fields(name: str, rows: list[dict[str, Any]], read: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path / name, rows * 3)
    stages = chain(path)
    ((key, options),) = read.items()
    assert of("read", stages) == [{key: {**options, "paths": [str(path)]}}]
    assert of("extract", stages) == []
    assert of("filter", stages) == [
        {"language": {"languages": ["en"]}},
        {"gopher_quality": {"by_language": "shipped"}, "gopher_repetition": {"by_language": "shipped"}},
    ]
    assert of("fit", stages) == [{"tokenizer": {"vocab_size": 4096}}]


@pytest.mark.parametrize(
    ("content", "read"),
    [
        pytest.param(gzip.compress(archive([DE, DE])), {"wet": {}}, id="WET"),
        pytest.param(lzma.compress(tar({"a.txt": DE.encode()})), {"corpus": {"name": "openwebtext"}}, id="tar"),
        pytest.param(f"{DE}\n\n{DE}\n".encode(), {"corpus": {"name": "cc100"}}, id="text"),
    ],
)
def test_forms_without_fields(content: bytes, read: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    stages = chain(tmp_path / "x")
    assert [{key: {**options, "paths": [str(tmp_path / "x")]} for key, options in read.items()}] == of("read", stages)
    assert of("filter", stages)[0] == {"language": {"languages": ["de"]}}


def test_pages_are_extracted_and_folders_and_globs_stay_as_they_are(tmp_path: Path) -> None:
    make_archives(tmp_path / "crawl", archives=2, pages=10)
    stages = chain(pattern := f"{tmp_path}/crawl/*.warc.gz")
    assert of("read", stages) == [{"warc": {"paths": [pattern]}}]
    assert of("extract", stages) == [{"trafilatura": {}}]
    assert "page_prose" in of("filter", stages)[1]
    assert of("read", chain(tmp_path / "crawl")) == [{"warc": {"paths": [str(tmp_path / "crawl")]}}]


def test_files_of_different_kinds_are_sources_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        written(tmp_path / f"in/part-{number}.jsonl", [{"text": EN}, {"text": EN}, {"text": DE}])
    written(tmp_path / "in/other.jsonl", [{"body": EN}])
    written(tmp_path / "in/x.parquet", [{"text": EU}])
    written(
        tmp_path / "stack/x.parquet",
        [{"content": "x = 1", "hexsha": "1", "max_stars_repo_name": "a", "lang": "Python"}],
    )
    made = recipe("in", "stack/x.parquet", "in/part-1.jsonl")
    assert {name: of("read", stages) for name, stages in made["sources"].items()} == {
        "jsonl": [{"jsonl": {"text": "body", "paths": ["in/other.jsonl"]}}],
        "jsonl_2": [{"jsonl": {"paths": [f"in/part-{number}.jsonl" for number in range(3)]}}],
        "parquet": [{"parquet": {"paths": ["in/x.parquet"]}}],
        "stack": [{"corpus": {"name": "stack", "paths": ["stack/x.parquet"]}}],
    }
    assert of("filter", made["sources"]["jsonl_2"])[0] == {"language": {"languages": ["en", "de"]}}
    assert of("filter", made["sources"]["stack"]) == [{"code_quality": {}}]
    assert made["joined"][0] == {"dedup": {"exact": {}, "minhash": {}}}
    assert of("read", recipe("in/part-1.jsonl", "in/part-*")["sources"]["jsonl"]) == [
        {"jsonl": {"paths": [f"in/part-{number}.jsonl" for number in (1, 0, 2)]}}
    ], "a glob would read one file twice"
    text = draft(["in/x.parquet"], "mine")
    assert "    # Gopher's rules, with the limits of each language; eu: general ones\n" in text


def test_texts_of_no_language_are_not_filtered_by_it(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"text": "0 1 2 3 4"}])
    assert of("filter", chain(path)) == []
    assert "# of 1 document looked at: none that is clear; so" in draft([str(path)], "mine")


def test_languages_at_the_end_of_a_small_file_are_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"text": EN}] * 60 + [{"text": DE}] * 20)
    assert "# of 80 documents looked at: en 75.0 %, de 25.0 %\n" in draft([str(path)], "mine")


def test_damage_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json.gz", [{"text": f"{EN}{number * number}"} for number in range(500)])
    path.write_bytes(path.read_bytes()[:-100])
    (line,) = [line for line in draft([str(path)], "mine").splitlines() if "not whole" in line]
    assert line.endswith("x.json.gz: gzip member is cut short by the end of the file'")
    assert recipe(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has nothing to read"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\r", r"is of no form that is recognized .* begins with b'\\x89PNG"),
        (b"<!DOCTYPE html><p>one", "is of no form"),
        (b"[[1], [2]]", "is of no form"),
        (b'{"rows": [{"text": "A"}]}', "is one object that holds its rows in the field 'rows'"),
        ('{"text": "A"}'.encode("utf-16"), "is UTF-16"),
        (b'{"n": 1}\n', "has no field of text"),
        (archive(["one"]).replace(b"conversion", b"request"), "has no documents"),
    ],
)
def test_what_cannot_be_read_is_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=message) as refused:
        draft([str(tmp_path / "x")], "mine")
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="no input matches"):
        draft([str(tmp_path / "none")], "mine")


@pytest.mark.slow
def test_a_drafted_recipe_runs_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_archives(tmp_path / "crawl", archives=2, pages=40)
    pq.write_table(pa.table({"text": [f"{DE * 8}{number}" for number in range(5)]}), "german.parquet")
    drafted = winnow_here("init", "crawl", "german.parquet", "--output", "mine.yaml")
    assert (drafted.returncode, drafted.stdout) == (0, "")
    assert drafted.stderr == "wrote mine.yaml, and recipe.schema.json for editors; next: winnow plan mine.yaml\n"
    assert json.loads(Path("recipe.schema.json").read_text()) == recipe_schema()
    assert winnow_here("plan", "mine.yaml").returncode == 0
    done = winnow_here("curate", "mine.yaml", "--inline", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["tokens"]["train"] > 1000
    Path("recipe.schema.json").write_text("mine")
    refused = winnow_here("init", "crawl", "--output", "mine.yaml")
    assert (refused.returncode, refused.stderr) == (
        2,
        "error: mine.yaml exists, and is not overwritten; give another name by --output\n",
    )
    again = winnow_here("init", "crawl", "--output", "new/../other.yaml")
    assert again.stderr == "wrote new/../other.yaml; next: winnow plan new/../other.yaml\n"
    assert Path("recipe.schema.json").read_text() == "mine"
    assert winnow_here("init", "crawl", "--output", "other").returncode == 2
    assert winnow_here("init", "crawl").stdout == Path("other.yaml").read_text().replace(
        'name: "other"', 'name: "mine"'
    )
