"""What pages and recipes contain reaches the terminal as text, never as markup or as a command to it."""

from functools import partial

import pytest
from rich.console import Console

from curation.account.sealed.bounds import DecidingLimit
from curation.account.show import ShownRow
from pipelines.render import tables
from tests.pipelines.render.printed import printed


def test_control_characters_and_markup_of_a_page_are_shown_as_text() -> None:
    console = Console(width=200, force_terminal=True)
    hostile = "\x1b]52;c;aGk=\x07[/red][bold]x\\[/x]\x9b2J"
    row = ShownRow(
        doc_id="0" * 32,
        url=hostile,
        reason=None,
        decided=None,
        signals={"s": {"v": hostile}},
        text=hostile,
        text_gone=False,
    )
    with console.capture() as captured:
        tables.rows(console, [row], every=True)
    shown = captured.get()
    assert "\x1b]52" not in shown
    assert "\x9b" not in shown
    assert shown.count("[/red][bold]x") == 3


@pytest.mark.parametrize(
    ("text_gone", "line"),
    [(False, "a page"), (True, "(its text went with the originals: it was dropped, and the recipe says originals: ")],
)
def test_a_text_that_is_gone_is_told_from_one_that_is_there(text_gone: bool, line: str) -> None:
    row = ShownRow(
        doc_id="0" * 32, url=None, reason=None, decided=None, signals={}, text="a  page", text_gone=text_gone
    )
    assert printed(tables.rows, [row])[2].strip().startswith(line)


def shown(reason: str | None, decided: DecidingLimit | None, *, every: bool = False) -> list[str]:
    signals = {"gopher_quality": {"words": 17, "stop_words": 3}, "minhash": {"copies": 2}}
    row = ShownRow(
        doc_id="0" * 32, url="http://a", reason=reason, decided=decided, signals=signals, text="a text", text_gone=False
    )
    return [line.strip() for line in printed(partial(tables.rows, every=every), [row])]


@pytest.mark.parametrize(
    ("limit", "line"),
    [
        pytest.param(
            DecidingLimit("gopher_quality.words", 17, "low", 50),
            "gopher_quality.words is 17; the limit is at least 50",
            id="low",
        ),
        pytest.param(
            DecidingLimit("gopher_quality.words", 0.25, "high", 0.2),
            "gopher_quality.words is 0.25; the limit is at most 0.2",
            id="high",
        ),
        pytest.param(
            DecidingLimit("language.label", "nl", "not_in", ("de", "en")),
            "language.label is nl; the limit is one of de, en",
            id="none of a list",
        ),
    ],
)
def test_the_limit_that_decided_is_shown_and_no_other_signal(limit: DecidingLimit, line: str) -> None:
    lines = shown(f"{limit.signal}:{limit.side}", limit)
    assert lines[2:] == [line, "a text", "1 row; --all shows all signals"]


def test_a_limit_that_needs_words_has_them() -> None:
    lines = shown("perplexity.perplexity:low", DecidingLimit("perplexity.perplexity", 2.25, "low", 3))
    assert lines[2:4] == [
        "perplexity.perplexity is 2.25; the limit is at least 3",
        "a language model predicts the text too easily: boilerplate, templates, repetition",
    ]


def test_all_signals_on_request() -> None:
    lines = shown("gopher_quality.words:low", DecidingLimit("gopher_quality.words", 17, "low", 50), every=True)
    assert lines[2:] == [
        "gopher_quality.words is 17; the limit is at least 50",
        "gopher_quality: words 17, stop_words 3",
        "minhash: copies 2",
        "a text",
        "1 row",
    ]


def test_of_a_reason_that_is_no_limit_the_figures_of_its_component() -> None:
    assert shown("dedup.minhash:duplicate", None)[2:4] == ["minhash: copies 2", "a text"]


def test_of_a_kept_document_no_signal() -> None:
    assert shown(None, None)[2:] == ["a text", "1 row; --all shows all signals"]


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
