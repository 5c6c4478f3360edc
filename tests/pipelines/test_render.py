"""What pages and recipes contain reaches the terminal as text, never as markup or as a command to it."""

from rich.console import Console

from curation.account.show import Row
from pipelines import render


def test_control_characters_and_markup_of_a_page_are_shown_as_text() -> None:
    console = Console(width=200, force_terminal=True)
    hostile = "\x1b]52;c;aGk=\x07[/red][bold]x\\[/x]\x9b2J"
    row = Row(doc_id="0" * 32, url=hostile, reason=None, signals={"s": {"v": hostile}}, text=hostile)
    with console.capture() as captured:
        render.rows(console, [row])
    shown = captured.get()
    assert "\x1b]52" not in shown
    assert "\x9b" not in shown
    assert shown.count("[/red][bold]x") == 3
