"""The card as tools read it: `mlcroissant` finds nothing wrong with it, and reads documents and lineage of the run."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from curation.account.card.croissant import croissant, croissant_bytes
from curation.account.card.facts import About
from curation.account.run import Run
from tests.curation.account.cards import HOSTILE, copied, edit_json, text

mlcroissant = pytest.importorskip("mlcroissant", reason="pip install mlcroissant")
# What mlcroissant uses of rdflib and pandas is older than they are.
pytestmark = [
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
]

ABOUT = About(
    licence="ODC-By-1.0",
    creator="Some people",
    url="https://example.org/data",
    published="2026-01-31",
    citation="Some people, 2026",
    version="1.2.0",
)


def loaded(run: str, to: Path, about: About | None = None) -> Any:
    """What mlcroissant makes of the card, written into a copy of the run."""
    folder = copied(run, to / "run")
    path = folder / "croissant.json"
    path.write_bytes(croissant_bytes(Run.open(folder).card(about), str(folder)))
    return mlcroissant.Dataset(jsonld=str(path))


def records(dataset: Any, name: str) -> list[dict[str, Any]]:
    """Records by column, text as str."""
    return [
        {key.rpartition("/")[2]: value.decode() if isinstance(value, bytes) else value for key, value in record.items()}
        for record in dataset.records(name)
    ]


def test_warnings_of_what_was_not_said_and_of_nothing_else(carded: str, tmp_path: Path) -> None:
    issues = loaded(carded, tmp_path).metadata.ctx.issues
    assert not issues.errors
    unsaid = ("citation", "datePublished", "license")
    assert len(issues.warnings) == 3
    assert all(any(name.lower() in warning.lower() for name in (*unsaid, "citeAs")) for warning in issues.warnings)
    found = croissant(Run.open(carded).card(), carded)
    assert not {*unsaid, "creator", "url", "citeAs"} & set(found)


def test_documents_and_lineage_are_read_without_errors_or_warnings(carded: str, tmp_path: Path) -> None:
    dataset = loaded(carded, tmp_path, ABOUT)
    issues = dataset.metadata.ctx.issues
    assert (issues.errors, issues.warnings) == (set(), set())
    found = records(dataset, "documents")
    assert {row["text"] for row in found} == {text(number) for number in (0, 1, 2, 3, 4, 10, 11)}
    by_text = {row["text"]: row for row in found}
    assert by_text[text(4)]["licence"] == HOSTILE
    assert by_text[text(3)]["licence"] is None
    assert str(by_text[text(0)]["crawled_at"]).startswith("2024-01-05")
    assert by_text[text(10)]["url"] is None
    assert {row["split"] for row in found} <= {"train", "validation"}
    segments = records(dataset, "pack-lineage")
    assert {one["doc_id"] for one in segments if one["doc_id"]} == {row["doc_id"] for row in found}
    assert all(0 < one["length"] <= 33 and one["row"] >= 0 for one in segments)


def test_documents_of_a_last_stage_that_drops_tell_them_apart(untokenized: str, tmp_path: Path) -> None:
    found = records(loaded(untokenized, tmp_path), "documents")
    assert len(found) == 8
    assert [row["drop_reason"] for row in found if row["drop_reason"]] == ["dedup.exact:duplicate"]


def test_a_single_file_that_changed_no_longer_has_its_hash(carded: str) -> None:
    found = croissant(Run.open(carded).card(), carded)
    files = {one["@id"]: one for one in found["distribution"] if one["@type"] == "cr:FileObject"}
    assert "run.json" in files
    assert sum(name.endswith("/_manifest.json") for name in files) == len(Run.open(carded).card().stages)
    for name, file in files.items():
        content = (Path(carded) / name).read_bytes()
        assert (file["sha256"], file["contentSize"]) == (hashlib.sha256(content).hexdigest(), f"{len(content)} B")
    assert any(name.endswith("index.json") for name in files)
    assert any(name.endswith("tokenizer.json") for name in files)


def test_every_file_of_a_pack_is_in_one_set(carded: str) -> None:
    found = croissant(Run.open(carded).card(), carded)
    globs = [glob for one in found["distribution"] if one["@type"] == "cr:FileSet" for glob in one["includes"]]
    (pack,) = Path(carded).glob("*-pack-*")
    for path in pack.iterdir():
        if path.suffix in (".bin", ".idx", ".parquet"):
            relative = path.relative_to(carded)
            assert sum(relative.match(glob) for glob in globs) == 1


def test_what_is_said_of_collection_and_limits(carded: str) -> None:
    found = croissant(Run.open(carded).card(), carded)
    assert "7 documents" in found["description"]
    assert found["rai:dataCollectionTimeframe"] == ["2024-01-02", "2025-03-04"]
    assert "web: 7 records of 2 files (" in found["rai:dataCollection"]
    assert found["rai:dataLimitations"] == list(Run.open(carded).card().known_limits)
    assert any(
        "dedup (dedup: exact): 8 documents in, 7 kept" in step for step in found["rai:dataPreprocessingProtocol"]
    )


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        pytest.param("CC-BY-4.0", "https://spdx.org/licenses/CC-BY-4.0.html", id="identifier"),
        pytest.param("Apache 2.0", "https://spdx.org/licenses/Apache-2.0.html", id="as people write it"),
        pytest.param("BSD", "BSD", id="a name that SPDX does not have"),
        pytest.param("MIT OR Apache-2.0", "MIT OR Apache-2.0", id="expression"),
    ],
)
def test_licence(licence: str, expected: str, carded: str) -> None:
    assert croissant(Run.open(carded).card(About(licence=licence)), carded)["license"] == expected


def test_an_unfinished_run_of_two_chains(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "given")
    entries = json.loads((run / "run.json").read_text())["stages"]
    edit_json(run / "run.json", complete=False, stages=entries[:4])
    dataset = loaded(str(run), tmp_path)
    assert not dataset.metadata.ctx.issues.errors
    assert [row["source"] for row in records(dataset, "documents")] == ["web"] * 6 + ["books"] * 2
