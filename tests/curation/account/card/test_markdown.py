"""The card as people read it: every figure in its table, nothing of a page as markup, no document's text."""

import dataclasses
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from curation.account.card.contents import Share
from curation.account.card.facts import About
from curation.account.card.markdown import markdown
from curation.account.run import Run
from curation.core.wording import size
from tests.curation.account.cards import copied, text

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


def test_no_data_files_where_the_last_stage_drops(untokenized: str) -> None:
    assert "configs" not in front(markdown(Run.open(untokenized).card()))


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
    shown = rows(markdown(Run.open(carded).card()))
    assert ["documents", "7"] in shown
    web, books = (size(one.file_bytes or 0) for one in Run.open(carded).card().inputs)
    assert ["`web`", "`jsonl`", "2", web, "7", "0", "0", "–"] in shown
    assert ["`books`", "`jsonl`", "1", books, "2", "0", "0", "`CC0-1.0`"] in shown
    assert ["`web-gopher_quality`", "filter: `gopher_quality`", "7", "1", "6", "85.7 %"] in shown
    assert ["`web-gopher_quality`", "`gopher_quality.words:low`", "1", "at least 30"] in shown
    assert [cells[:2] for cells in shown if cells[0] == "none stated"] == [["none stated", "1"], ["none stated", "2"]]
    assert ["`one.example`", "3"] in shown


def test_what_a_page_says_is_no_markup(carded: str) -> None:
    shown = markdown(
        Run.open(carded).card(About(name="# <b>x</b>\n# y", creator="[a](http://x.example)", citation="|`"))
    )
    body = READER.parse(shown.split("---\n", 2)[2])
    inner = [child for token in body for child in token.children or ()]
    assert not {"html_block", "html_inline", "image", "link_open"} & {token.type for token in [*body, *inner]}
    assert [token.tag for token in body if token.type == "heading_open"].count("h1") == 1
    assert any("<script>alert(1)</script>" in child.content for child in inner if child.type == "code_inline")


def test_no_document_s_text(carded: str) -> None:
    shown = markdown(Run.open(carded).card())
    for number in (0, 1, 2, 3, 4, 10, 11):
        assert text(number)[:30] not in shown


def test_the_rest_of_many_licences_is_one_line(carded: str) -> None:
    found = Run.open(carded).card()
    many = tuple(Share(f"L{number}", 1, 10, 5) for number in range(20))
    changed = dataclasses.replace(found, contents=dataclasses.replace(found.contents, licences=many))
    shown = rows(markdown(changed))
    assert ["`L14`", "1", "10 B", "5", "5.0 %"] in shown
    assert ["5 others", "5", "50 B", "25", "25.0 %"] in shown


def test_every_run_ends_with_one_newline(carded: str, untokenized: str, finished_run: Path) -> None:
    for run in (carded, untokenized, str(finished_run / "run")):
        shown = markdown(Run.open(run).card())
        assert shown.endswith("\n")
        assert not shown.endswith("\n\n")
