"""The built-in lists, and those of files."""

from pathlib import Path

import pytest

from curation.account.audit.term_lists import term_lists
from curation.core.errors import InputError, UserError


def test_built_in() -> None:
    lists = term_lists()
    assert "wee bit" not in lists.dialects["Scots"]
    assert lists.mentions["Hindus"] == ("hindu", "hindus", "hinduism")
    assert all(
        term == term.strip() and term
        for named in (lists.dialects, lists.mentions, lists.attributes)
        for own in named.values()
        for term in own
    )


def test_files_add_and_replace(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("nurse\n# comment\n\nnurses\n")
    file = tmp_path / "own.txt"
    lists = term_lists([f"nurses={file}", f"Scots={file}", f"women={file}"], [f"care={file}"])
    assert lists.mentions["nurses"] == lists.dialects["Scots"] == lists.mentions["women"] == ("nurse", "nurses")
    assert "Scots" not in lists.mentions
    assert lists.attributes["care"] == ("nurse", "nurses")
    assert lists.attributes["warmth"] == term_lists().attributes["warmth"]


@pytest.mark.parametrize("given", ["nurses.txt", "=nurses.txt", "nurses="])
def test_another_form(given: str) -> None:
    with pytest.raises(UserError, match="expected NAME=FILE"):
        term_lists([given])


def test_a_file_that_is_missing_or_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n# nothing\n")
    with pytest.raises(InputError, match="no list of terms at"):
        term_lists([f"a={tmp_path / 'none.txt'}"])
    with pytest.raises(InputError, match="holds no terms"):
        term_lists((), [f"a={tmp_path / 'empty.txt'}"])
