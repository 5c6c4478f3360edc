"""The card as people read it: every figure in its table, nothing of a page as markup, no document's text."""

import dataclasses
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from curation.account.card.contents import Share
from curation.account.card.facts import About, Card
from curation.account.card.markdown import code, markdown, prose
from curation.account.mixture import MixLine
from curation.account.run import Run
from curation.core.energy import UNMEASURED, Energy
from curation.core.manifest import plain
from curation.core.wording import size
from curation.engine.recipe.recipe import parse
from tests.curation.account.cards import copied, edit_json, text
from tests.curation.account.corpus import curate

READER = MarkdownIt("commonmark", {"html": True}).enable("table")


def front(shown: str) -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load(shown.split("---\n")[1])
    return found


def rows(shown: str) -> list[list[str]]:
    """Cells of all lines of all tables."""
    return [line.strip("| ").split(" | ") for line in shown.splitlines() if line.startswith("| ")]


def test_front_matter(carded: str) -> None:
    stage = next(stage for stage in Run.open(carded).card().stages if stage.name == "tokenize")
    assert front(markdown(Run.open(carded).card())) == {
        "pretty_name": "carded",
        "license": "unknown",
        "task_categories": ["text-generation"],
        "size_categories": ["n<1K"],
        "configs": [{"config_name": "documents", "data_files": [f"{stage.folder}/part-*.parquet"]}],
    }


def test_hubs_load_the_documents(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    (run / "README.md").write_text(markdown(Run.open(carded).card()))
    datasets = pytest.importorskip("datasets", reason="pip install datasets")
    found = datasets.load_dataset(str(run), "documents", cache_dir=str(tmp_path / "cache"))["train"]
    assert set(found["text"]) == {text(number) for number in (0, 1, 2, 3, 4, 10, 11)}


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        pytest.param("CC-BY-4.0", {"license": "cc-by-4.0"}, id="known"),
        pytest.param("ODC-By-1.0", {"license": "odc-by"}, id="by another name"),
        pytest.param("Apache 2.0", {"license": "apache-2.0"}, id="as people write it"),
        pytest.param("GPL-3.0-or-later", {"license": "gpl-3.0"}, id="hubs do not tell which versions"),
        pytest.param("Own: no", {"license": "other", "license_name": "Own: no"}, id="unknown"),
    ],
)
def test_hub_licence(licence: str, expected: dict[str, str], carded: str) -> None:
    found = front(markdown(Run.open(carded).card(About(licence=licence))))
    assert {name: value for name, value in found.items() if name.startswith("license")} == expected


def test_identified_languages_are_in_the_front_matter(finished_run: Path) -> None:
    assert front(markdown(Run.open(finished_run / "run").card()))["language"] == ["en"]


def test_figures(carded: str) -> None:
    card = Run.open(carded).card()
    shown = rows(markdown(card))
    assert ["documents", "7"] in shown
    web, books = (size(one.file_bytes or 0) for one in card.inputs)
    assert ["`web`", "`jsonl`", "2", web, "7", "0", "0", "–"] in shown
    assert ["`books`", "`jsonl`", "1", books, "2", "0", "0", "`CC0-1.0`"] in shown
    assert ["`web-gopher_quality`", "filter: `gopher_quality`", "7", "1", "6", "85.7 %"] in shown
    assert ["`web-gopher_quality`", "`gopher_quality.words:low`", "1", "at least 30"] in shown
    assert [cells[:2] for cells in shown if cells[0] == "none stated"] == [["none stated", "1"], ["none stated", "2"]]
    assert ["`one.example`", "3"] in shown
    assert all([f"`{one.name}`", f"`{one.folder}`", f"`{one.address}`"] in shown for one in card.stages)
    assert sum(cells[:2] in (["`web`", "train"], ["`books`", "train"]) for cells in shown) == 2


def test_lines_that_are_in_no_table(carded: str) -> None:
    card = Run.open(carded).card()
    shown = markdown(card)
    assert "byte-level BPE with 300 ids, learnt in this run from 7 of its documents, " in shown
    assert "one stream of tokens, cut every 33 tokens" in shown
    assert card.packings[0].digest in shown
    assert all(one.listing in shown for one in card.inputs)
    assert not any(text(number)[:30] in shown for number in (0, 1, 2, 3, 4, 10, 11))


def test_what_a_page_says_is_no_markup(carded: str) -> None:
    shown = markdown(
        Run.open(carded).card(About(name="# <b>x</b>\n# y", creator="[a](http://x.example)", citation="|`"))
    )
    body = READER.parse(shown.split("---\n", 2)[2])
    inner = [child for token in body for child in token.children or ()]
    assert not {"html_block", "html_inline", "image", "link_open"} & {token.type for token in [*body, *inner]}
    assert [token.tag for token in body if token.type == "heading_open"].count("h1") == 1
    assert any("<script>alert(1)</script>" in child.content for child in inner if child.type == "code_inline")


def test_the_rest_of_many_licences_is_one_line(carded: str) -> None:
    found = Run.open(carded).card()
    many = tuple(Share(f"L{number}", 1, 10, 5) for number in range(20))
    changed = dataclasses.replace(found, contents=dataclasses.replace(found.contents, licences=many))
    shown = rows(markdown(changed))
    assert ["`L14`", "1", "10 B", "5", "5.0 %"] in shown
    assert ["5 others", "5", "50 B", "25", "25.0 %"] in shown


def test_every_run_ends_with_one_newline_and_has_no_empty_paragraph(
    carded: str, untokenized: str, finished_run: Path
) -> None:
    for run in (carded, untokenized, str(finished_run / "run")):
        shown = markdown(Run.open(run).card())
        assert shown.endswith("\n")
        assert "\n\n\n" not in f"{shown}\n"


def kinds(shown: str) -> list[str]:
    """Types of all tokens, those inside lines too."""
    tokens = READER.parse(shown)
    return [inner.type for token in tokens for inner in (token, *(token.children or ()))]


@given(st.text())
def test_code_is_code_in_one_cell(text: str) -> None:
    found = kinds(f"| a | b |\n|---|---:|\n| {code(text)} | 1 |")
    assert found.count("code_inline") == 1
    assert found.count("td_open") == 2
    assert not {"html_inline", "html_block", "link_open", "image", "heading_open"} & set(found)


@given(st.text(min_size=1))
def test_prose_is_one_heading_of_text(text: str) -> None:
    found = kinds(f"# {prose(text)}")
    assert set(found) <= {"heading_open", "inline", "text", "text_special", "heading_close"}
    assert found.count("heading_open") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("CC-BY-4.0", "`CC-BY-4.0`", id="as it is"),
        pytest.param("a|b`c", "`a¦b'c`", id="bar and backtick"),
        pytest.param("a\n\n  b", "`a b`", id="lines"),
        pytest.param("a\x1b[31mb\u202e", "`a\ufffd[31mb\ufffd`", id="control characters"),
        pytest.param("", "`(empty)`", id="nothing"),
        pytest.param("x" * 160, f"`{'x' * 160}`", id="160 characters"),
        pytest.param("x" * 161, f"`{'x' * 160}…`", id="161 characters"),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_the_recipe_in_the_card_is_the_run_s(carded: str) -> None:
    card = Run.open(carded).card()
    recipe = markdown(card).split("```yaml\n")[1].split("\n```")[0]
    assert list(yaml.safe_load(recipe)) == ["version", "name", "shards", "sources", "joined"]
    assert plain(parse(recipe, "again.yaml").resolved()) == card.recipe


def test_a_fence_longer_than_any_in_the_recipe(carded: str) -> None:
    found = Run.open(carded).card()
    lines = markdown(dataclasses.replace(found, recipe={**found.recipe, "name": "a ```` b"})).splitlines()
    assert "`````yaml" in lines
    assert lines.count("`````") == 1


def test_edits_and_a_last_stage_that_drops(untokenized: str) -> None:
    shown = markdown(Run.open(untokenized).card())
    assert "configs" not in front(shown)
    edits = shown.split("Texts were edited:")[1].split("##")[0]
    assert "| `web-unicode` | `unicode." in edits
    assert "gopher" not in edits


def test_mixture_with_phases(carded: str) -> None:
    line = MixLine("anneal", "web/en", 0.25, 1000.4, 992, 31, 20, 1.55, True)
    main = dataclasses.replace(line, phase="main", capped=False)
    lines = mixed(carded, main, line, other_runs=("/runs/2024|x/07-pack",))
    assert "| `main` | `web/en` | 25.00 % | 1,000 | 992 | 31 | 1.550 |" in lines
    assert "| `anneal` | `web/en` | 25.00 % | 1,000 | 992 (all there is) | 31 | 1.550 |" in lines
    assert "| `main` | `web` | 25.00 % | 1,000 | 992 | 31 | 1.550 |" in lines
    assert "- with packed rows of another run: `/runs/2024¦x/07-pack`" in lines


def test_sub_sources_are_summed_by_source(carded: str) -> None:
    one = MixLine("mix", "web/en", 0.25, 100.0, 96, 3, 4, 0.75, True)
    two = MixLine("mix", "web/de", 0.5, 200.0, 192, 6, 4, 1.5, False)
    rest = MixLine("mix", "books", 0.25, 100.0, 96, 3, 6, 0.5, False)
    lines = mixed(carded, one, two, rest)
    assert "| `web` | 75.00 % | 300 | 288 | 9 | 1.125 |" in lines
    assert lines.count("| `books` | 25.00 % | 100 | 96 | 3 | 0.500 |") == 2
    assert "| `web/en` | 25.00 % | 100 | 96 (all there is) | 3 | 0.750 |" in lines
    assert lines.count("By sub-source:") == 1


def test_of_many_sub_sources_the_largest_are_shown(carded: str) -> None:
    found = Run.open(carded).card()
    lines = [MixLine(phase, f"web/{n:02}", 0.05, n, n, n, 10, n / 10, False) for phase in "ab" for n in range(1, 19)]
    split = dataclasses.replace(found.packings[0].splits[0], rows=1, documents=2, padding=0, cut=0)
    splits = tuple(dataclasses.replace(split, source=f"web/{n:02}", tokens=n) for n in range(1, 19))
    packing = dataclasses.replace(found.packings[0], splits=splits)
    shown = mixed(carded, *lines, packings=(packing,))
    assert any(line.startswith("| `web` | train | 36 | 171 |") for line in shown)
    assert any(
        line.startswith("| `3 others` | train | 6 | 6 |") and line.endswith("| 3 | 0.0 % | 0 |") for line in shown
    )
    assert "| `a` | `web` | 90.00 % | 171 | 171 | 171 | 0.950 |" in shown
    assert "| `b` | `3 others` | 15.00 % | 6 | 6 | 6 | 0.200 |" in shown
    assert sum("`web/04`" in line for line in shown) == 3
    assert not any("`web/03`" in line for line in shown)
    assert shown.count("By sub-source, the largest (`winnow card --json` has all):") == 2


def mixed(run: str, *lines: MixLine, other_runs: tuple[str, ...] = (), **changes: object) -> list[str]:
    """The lines of the run's card with another mixture."""
    found = Run.open(run).card()
    assert found.mixture is not None
    mixture = dataclasses.replace(found.mixture, lines=lines, other_runs=other_runs)
    changed: Card = dataclasses.replace(found, mixture=mixture, **changes)  # type: ignore[arg-type]
    return markdown(changed).splitlines()


def test_a_tokenizer_that_was_given_and_no_tokens(corpus: Path, untokenized: str) -> None:
    assert ", given to the run in `" in markdown(curate(corpus).card())
    assert "## Tokens" not in markdown(Run.open(untokenized).card())


def test_what_a_run_cost(carded: str, tmp_path: Path) -> None:
    assert "The energy is unmeasured: no machine's counters could be read." in markdown(Run.open(carded).card())
    used = Energy(
        duration=60.4,
        energy_consumed=0.3,
        cpu_energy=0.25,
        gpu_energy=0.05,
        ram_energy=UNMEASURED,
        gpu_count=2,
        gpu_model="2 x NVIDIA H100",
        measured_by=("NVML's counter", "RAPL"),
    )
    run = copied(carded, tmp_path / "run")
    entries = Run.open(carded).card().stages
    for stage in entries:
        edit_json(run / stage.folder / "_manifest.json", energy=used.record() if stage.name != "dedup" else None)
    card = Run.open(str(run)).card(About(country_iso_code="DEU", carbon_intensity=0.5))
    shown = markdown(card)
    others = len(entries) - 1
    assert ["`web-read`", "60", "0.25", "0.05", "unmeasured", "0.3"] in rows(shown)
    total = [f"{0.25 * others:.4g}", f"{0.05 * others:.4g}", "unmeasured", f"{0.3 * others:.4g}"]
    assert ["all", f"{60.4 * others:.0f}", *total] in rows(shown)
    assert f"Emissions: {0.15 * others:.4g} kg of CO2 equivalents." in shown
    assert "Grid: DEU." in shown
    assert "2 x NVIDIA H100" in shown
