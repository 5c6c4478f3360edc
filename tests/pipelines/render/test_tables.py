"""What pages and recipes contain reaches the terminal as text, never as markup or as a command to it."""

import pytest
from rich.console import Console

from curation.account.show import ShownRow
from pipelines.render import tables
from tests.pipelines.render.printed import printed


def test_control_characters_and_markup_of_a_page_are_shown_as_text() -> None:
    console = Console(width=200, force_terminal=True)
    hostile = "\x1b]52;c;aGk=\x07[/red][bold]x\\[/x]\x9b2J"
    row = ShownRow(
        doc_id="0" * 32, url=hostile, reason=None, signals={"s": {"v": hostile}}, text=hostile, text_gone=False
    )
    with console.capture() as captured:
        tables.rows(console, [row])
    shown = captured.get()
    assert "\x1b]52" not in shown
    assert "\x9b" not in shown
    assert shown.count("[/red][bold]x") == 3


@pytest.mark.parametrize(
    ("text_gone", "line"),
    [(False, "a page"), (True, "(its text went with the originals: it was dropped, and the recipe says originals: ")],
)
def test_a_text_that_is_gone_is_told_from_one_that_is_there(text_gone: bool, line: str) -> None:
    row = ShownRow(doc_id="0" * 32, url=None, reason=None, signals={}, text="a  page", text_gone=text_gone)
    assert printed(tables.rows, [row])[2].strip().startswith(line)


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        ("runs/a", "outputs in runs/a; next: winnow why runs/a --url URL, winnow show runs/a STAGE"),
        (
            "a [x]'s",
            "outputs in a [x]'s; next: winnow why 'a [x]'\"'\"'s' --url URL, winnow show 'a [x]'\"'\"'s' STAGE",
        ),
        ("-a", "outputs in -a; next: winnow why ./-a --url URL, winnow show ./-a STAGE"),
    ],
)
def test_commands_name_the_run_as_a_shell_takes_it(folder: str, line: str) -> None:
    assert printed(tables.next_commands, folder) == [line]


def test_the_folder_of_a_training_may_be_named_like_markup() -> None:
    result = {"validation_loss": 1.0, "unigram_entropy": 2.0, "steps": 1, "tokens": 1, "parameters": 1}
    assert "\n".join(printed(tables.training_result, result, "runs/[x] [bold]")).endswith("in runs/[x] [bold]")


@pytest.mark.parametrize(
    ("values", "telling", "others"),
    [
        pytest.param({"a": 0, "b": 2}, {"a": 0, "b": 2}, [], id="few values"),
        pytest.param(
            {**{f"v{n}": 0 for n in range(29)}, "a": 1, "none": None},
            {"a": 1, "none": None},
            ["29 others 0"],
            id="many values",
        ),
        pytest.param({f"v{n}": 1 for n in range(40)}, {f"v{n}": 1 for n in range(40)}, [], id="many that tell"),
    ],
)
def test_of_many_values_those_that_are_0_are_left_out(
    values: dict[str, int | None], telling: dict[str, int | None], others: list[str]
) -> None:
    assert tables.without_noughts(values) == (telling, others)
