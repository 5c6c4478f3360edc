"""What is read together, what names it in a recipe, and what is left out with its reason."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from curation.core.errors import InputError
from curation.sources.beginning import COPIED
from pipelines.draft_files import LOOKED, covering, draft_files
from pipelines.recipe_draft import draft
from tests.curation.sources.documents.test_recognise import BOOK, CATALOGUE, COMMENT, JATS, MBOX, SRT, SUBMISSION, lines


def write(files: dict[str, bytes]) -> None:
    """In the current folder."""
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).write_bytes(content)


def reads(*given: str) -> dict[str, Any]:
    """How each source of the drafted recipe is read."""
    sources = yaml.safe_load(draft(given, "mine"))["sources"]
    return {name: stages[0]["read"] for name, stages in sources.items()}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_mixed_folder_is_read_by_kind_whatever_its_files_are_called() -> None:
    write({"in/1": SRT, "in/2": JATS, "in/3": MBOX, "in/4": SRT, "in/a/5": JATS, "in/a/b/6": JATS, "in/c/7": MBOX})
    assert reads("in") == {
        "subtitles": {"subtitles": {"paths": ["in/1", "in/4"]}},
        "jats": {"jats": {"paths": ["in/2", "in/a"]}},
        "email": {"email": {"paths": ["in/3", "in/c"]}},
    }


def test_what_nobody_reads_is_named_once_and_never_in_a_folder_that_is_read() -> None:
    write(
        {"in/1.srt": SRT, "in/2.srt": SRT, "in/Comments.xml": b"<comments>\n<row Id='1'/></comments>", "in/3.srt": b""}
    )
    found = draft_files(["in"])
    assert covering(found.read, found) == ["in/1.srt", "in/2.srt", "in/3.srt"]
    assert [*found.left_out] == ["in/Comments.xml"]
    told: list[str] = []
    text = draft(["in"], "mine", told.append)
    (reason,) = told
    assert reason.startswith("in/Comments.xml is taken for Comments table of a Stack Exchange dump (certain: ")
    assert f"# Not read:\n# {reason!r}\n" in text


def test_only_what_nobody_reads_is_an_error() -> None:
    write({"in/a.xml": b"<?xml version='1.0'?><svg/>", "in/b.bin": bytes(range(256)) * 9})
    with pytest.raises(InputError, match=r"a.xml is of no form .*; 1 other file cannot be read either"):
        draft(["in"], "mine")


def test_files_that_are_called_alike_are_read_by_what_is_in_them() -> None:
    write({f"in/{number:03}.txt": SRT if number == LOOKED else BOOK for number in range(LOOKED + 2)})
    write({f"in/{number:03}.txt": SRT for number in range(0, LOOKED + 2, 2)})
    assert {"subtitles", "text"} == {*reads("in")}


def test_of_files_that_are_given_one_by_one_and_called_alike_one_is_looked_at_closely() -> None:
    write({"in/1.srt": SRT, "in/2.srt": SRT})
    first, second = draft_files(["in/1.srt", "in/2.srt"]).read
    assert first.look is second.look


def test_posts_are_read_with_their_comments_and_books_with_their_catalogue() -> None:
    write({"r/RS": lines(SUBMISSION), "r/RC": lines(COMMENT), "g/7.txt": BOOK, "g/pg_catalog.csv": CATALOGUE})
    assert reads("r", "g") == {
        "dialogue": {"dialogue": {"paths": ["r"]}},
        "gutenberg": {"gutenberg": {"catalogue": "g/pg_catalog.csv", "paths": ["g/7.txt"]}},
    }
    assert reads("g/7.txt") == {"text": {"plain_text": {"paths": ["g/7.txt"]}}}, "without a catalogue it is a text"


def test_a_dump_of_which_only_the_beginning_is_looked_at_is_not_called_damaged() -> None:
    post = b'  <row Id="%d" PostTypeId="1" CreationDate="2015-01-27T20:09:32.720" Score="3" Title="Town" Body="%s" />\n'
    posts = b"".join(post % (number, b"The town is old. " * 1000) for number in range(1, COPIED // 17_000 + 9))
    write({"Posts.xml": b"<posts>\n" + posts + b"</posts>\n", "cut/Posts.xml": b"<posts>\n" + post % (1, b"The town.")})
    assert "not whole" not in draft(["Posts.xml"], "mine")
    assert "not whole, and read as far as that goes: 'cut/Posts.xml: " in draft(["cut"], "mine")


def test_a_repository_stands_for_its_files(tmp_path: Path) -> None:
    import subprocess

    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    write({"in/town/old.py": b"x = 1\n", "in/1": SRT})
    for call in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Begin")):
        subprocess.run([*git, *call], cwd="in/town", check=True)
    assert reads("in") == {
        "code": {"code": {"paths": ["in/town"]}},
        "subtitles": {"subtitles": {"paths": ["in/1"]}},
    }
    assert reads("in/town") == {"code": {"code": {"paths": ["in/town"]}}}
    stages = yaml.safe_load(draft(["in/town"], "mine"))["sources"]["code"]
    assert {"filter": {"code_quality": {}}} in stages


def test_pages_and_papers_go_through_the_extractor_of_their_kind() -> None:
    page = {"name": "Town", "identifier": 1, "url": "https://a/Town", "namespace": {"identifier": 0}}
    page["article_body"] = {"html": f"<html><body><p>{'The town is old and the river is wide. ' * 9}</p></body></html>"}
    write({"a.ndjson": json.dumps(page).encode() + b"\n"})
    stages = yaml.safe_load(draft(["a.ndjson"], "mine"))["sources"]["wikipedia_html"]
    assert stages[1] == {"extract": {"resiliparse": {}}}
