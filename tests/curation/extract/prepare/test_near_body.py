"""Lists near the body: divisions around them, and the fault of the library that makes them necessary."""

import pytest
from resiliparse.extract.html2text import extract_plain_text

from curation.extract.prepare.near_body import NEEDED, lists_near_body
from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.prepare.rewritten import rewritten
from tests.curation.extract.raw_pages import texts

LIST = "<ul><li>Sweep the pipe of the stove.</li><li>Close the door behind you.</li></ul>"
MENU = "<ul><li><a href=/>Start</a></li><li><a href=/all>All notes</a></li></ul>"


def page(content: str, around: int) -> str:
    text = "<p>The miller counted the sacks again before the rain began, and none was missing.</p>" * 3
    return f"<html><body>{'<div>' * around}<h1>Stove</h1>{text}{content}{text}{'</div>' * around}</body></html>"


@pytest.mark.parametrize("around", range(NEEDED + 2))
def test_a_list_has_enough_elements_around_it(around: int) -> None:
    found = rewritten(page(LIST, around), lists_near_body)
    missing = max(NEEDED - around, 0)
    assert found == page(f"{'<div>' * missing}{LIST}{'</div>' * missing}", around)


@pytest.mark.parametrize("around", range(NEEDED + 2))
def test_a_list_stays_and_a_menu_goes(around: int) -> None:
    (text,) = texts(Resiliparse(), page(LIST + MENU, around))
    assert text is not None
    assert "- Sweep the pipe of the stove.\n- Close the door behind you." in text
    assert "All notes" not in text


def test_the_library_still_drops_such_lists() -> None:
    """If this fails, the library is mended: then `curation.extract.prepare.near_body` can go."""
    found = [extract_plain_text(page(LIST, around), main_content=True) for around in range(6)]
    assert ["Sweep" in text for text in found] == [around >= NEEDED for around in range(6)]
