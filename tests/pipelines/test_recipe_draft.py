"""A recipe that is drafted for a file can be planned, whatever the file's form; and one runs to the end."""

import gzip
import json
import lzma
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from jsonschema import Draft7Validator

from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.names import argument_text, system_name
from curation.engine.recipe.recipe import parse
from curation.sources import inspection
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
# Long enough for Gopher's rules.
PROSE = (
    f"{EN}In the morning three boats left for the islands, with bread, two barrels of water and a letter that nobody "
    "had opened yet. The miller stood at the window and counted them until fog hid the last sail. When evening came, "
    "his daughter asked why he had said nothing, and he answered that some journeys are better begun in silence."
)
BASQUE = (
    f"{EU}Goizean hiru itsasontzi uharteetara abiatu ziren, ogiarekin, bi upel ur eta inork ireki ez zuen gutun "
    "batekin. Errotaria leihoan zegoen eta kontatu egin zituen lainoak azken bela ezkutatu zuen arte. Iluntzean, "
    "alabak galdetu zion zergatik ez zuen ezer esan, eta aitak erantzun zion bidaia batzuk isilik hasten direla. "
    "Hurrengo urtean mutil gazte batek etxe berria eraiki zuen mendiaren ondoan, harri zuriz eta egur gogorrez."
)


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
        ("x.jsonl", [{"body": PROSE, "uuid": "1"}], {"jsonl": {"text": "body", "id": "uuid"}}),
        ("x.json.gz", [{"text": PROSE, "\n": "a"}], {"jsonl": {}}),
        ("x.parquet", [{"content": PROSE, "uri": "u"}], {"parquet": {"text": "content", "url": "uri"}}),
        ("dolma-v1_7/x.json.gz", [DOLMA | {"text": PROSE, "metadata": {"url": "u"}}], {"corpus": {"name": "dolma"}}),
        ("fineweb-2/0.parquet", [FINE | {"text": PROSE}], {"corpus": {"name": "fineweb_2"}}),
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
        pytest.param(lzma.compress(tar({"a.txt": DE.encode()})), {"plain_text": {}}, id="tar"),
        pytest.param(f"{DE}\n\n{DE}\n".encode(), {"plain_text": {}}, id="text"),
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
    written(tmp_path / "in/x.parquet", [{"text": BASQUE}])
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


def test_rules_that_drop_nearly_all_wait_for_the_user(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"text": f"{EN}{number}"} for number in range(5)])
    assert of("filter", chain(path)) == [{"language": {"languages": ["en"]}}]
    text = draft([str(path)], "mine")
    assert "wait for you: of 5 documents looked at they drop 5, mostly by gopher_quality.words:low\n" in text


def write_ordinary_files() -> tuple[str, ...]:
    """Notes, a site with pictures, a table and a data set of `datasets`, in the current folder; returns what names
    them."""
    files = {
        "notes/one.txt": PROSE.encode(),
        "notes/two.txt": b"\xef\xbb\xbf" + f"{PROSE}{EN}".encode(),
        "site/index.html": f"<html><body><p>{PROSE}</p></body></html>".encode(),
        "site/logo.png": b"\x89PNG\r\n\x1a\n\0",
        "site/css/style.css": b"p { color: red }",
        "site/sitemap.xml": b"<?xml version='1.0'?><urlset/>",
        "posts.csv": f'nr;body\r\n1;"{PROSE}"\r\n'.encode(),
        "wiki/state.json": b"{}",
        "wiki/dataset_info.json": b'{"features": {}}',
    }
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).write_bytes(content)
    table = pa.table({"title": ["A town"], "long": [PROSE]})
    with pa.ipc.new_stream("wiki/data-00000-of-00001.arrow", table.schema) as out:
        out.write_table(table)
    return "notes", "site", "posts.csv", "wiki"


def test_files_that_are_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders stay as they are; what a site has beside its pages, and a data set beside its data, is left to the
    source."""
    monkeypatch.chdir(tmp_path)
    made = recipe(*write_ordinary_files())
    assert {name: of("read", stages) for name, stages in made["sources"].items()} == {
        "text": [{"plain_text": {"paths": ["notes"]}}],
        "html": [{"html": {"paths": ["site"]}}],
        "csv": [{"csv": {"text": "body", "paths": ["posts.csv"]}}],
        "arrow": [{"arrow": {"text": "long", "paths": ["wiki"]}}],
    }
    assert [bool(of("extract", stages)) for stages in made["sources"].values()] == [False, True, False, False]
    assert all(len(of("filter", stages)) == 2 for stages in made["sources"].values())


@pytest.mark.slow
def test_a_recipe_for_ordinary_files_runs_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert winnow_here("init", *write_ordinary_files(), "--output", "mine.yaml").returncode == 0
    done = winnow_here("curate", "mine.yaml", "--inline", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["tokens"]["train"] > 50


def test_a_text_longer_than_a_document_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "MAX_DOCUMENT_BYTES", 1000)
    (tmp_path / "x.txt").write_text(f"{PROSE}\n\n" * 3)
    assert of("read", chain(tmp_path / "x.txt")) == [
        {"plain_text": {"document": "blank_lines", "paths": [str(tmp_path / "x.txt")]}}
    ]
    assert "where a blank line ends a document" in draft([str(tmp_path / "x.txt")], "mine")


def test_texts_of_no_language_are_not_filtered_by_it(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"text": "0 1 2 3 4"}])
    assert of("filter", chain(path)) == []
    assert "# of 1 document looked at: none that is clear; so" in draft([str(path)], "mine")


def test_languages_at_the_end_of_a_small_file_are_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"text": EN}] * 60 + [{"text": DE}] * 20)
    assert "# of 80 documents looked at: en 75.0 %, de 25.0 %\n" in draft([str(path)], "mine")


def test_languages_of_saved_pages_are_seen_beside_their_images(tmp_path: Path) -> None:
    for number in range(30):
        text = BASQUE if number % 3 else DE
        (tmp_path / f"{number:02}_files").mkdir()
        (tmp_path / f"{number:02}_files" / "a.css").write_text("p {}")
        (tmp_path / f"{number:02}.html").write_text(f"<!DOCTYPE html><p>{text}</p>")
    drafted = draft([str(tmp_path)], "mine")
    assert "# 30 files: html, " in drafted
    assert "# of 30 documents looked at: eu 66.7 %, de 33.3 %\n" in drafted


def test_rules_are_tried_on_texts_as_the_recipe_rewrites_them(tmp_path: Path) -> None:
    words = [word if number % 3 else "<unk>" for number, word in enumerate(PROSE.split())]
    path = written(tmp_path / "x.jsonl", [{"text": " ".join(words)}] * 3)
    drop = "of 3 documents looked at they drop 3, mostly by gopher_quality.mean_word_length:low"
    assert f"# Gopher's rules wait for you: {drop}" in draft([str(path)], "mine")


def test_an_empty_file_beside_others_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "b.txt").write_text(PROSE)
    assert of("read", chain(tmp_path)) == [{"plain_text": {"paths": [str(tmp_path)]}}]


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
        (b"<?xml version='1.0'?><mediawiki>", "has no documents"),
        (b"<?xml version='1.0'?><svg>", "of no form .* with the first element <svg>"),
        (b"<comments>\n<row Id='1' /></comments>", "Comments table of a Stack Exchange dump .*leave it out"),
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


@pytest.mark.parametrize(
    "name", [b"a\nb\x1b[31m.jsonl", b"caf\xe9.jsonl", "# \u202ea: 'b.jsonl".encode(), b"-rf"], ids=repr
)
def test_a_recipe_names_the_same_file_whatever_it_is_called(
    name: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(os.fsdecode(name)).write_text('{"text": "The town is old and the river is wide."}\n')
    text = draft([argument_text(os.fsdecode(name))], "mine")
    (path,) = yaml.safe_load(text)["sources"]["jsonl"][0]["read"]["jsonl"]["paths"]
    assert [os.fsencode(system_name(file.path)) for file in list_files(path)] == [os.fsencode(tmp_path) + b"/" + name]
    assert text.replace("\n", "").isprintable()
    assert parse(text, "x.yaml").name == "mine"
