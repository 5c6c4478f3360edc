"""What is printed of tokenizers: groups in order, short names, tokens as text that no terminal minds."""

from dataclasses import replace
from typing import Any

from curation.account.tokenizers.tokenizer_inspection import Inspection
from pipelines.render import tokenizer
from tests.pipelines.render.printed import cells, printed
from tests.pipelines.tokenizer_examples import group, inspection


def shown(*found: Inspection, plot: str | None = None) -> list[str]:
    return printed(tokenizer.inspections, found, plot)


def test_one() -> None:
    lines = shown(inspection("runs/a.json", 300), plot="a.png")
    rows = cells(lines)
    assert rows[:4] == [
        ["all text", "3", "3.5 kB", "1.64", "3.04", "3.04"],
        ["language en", "3", "2.0 kB", "1.25", "4.00", "4.00"],
        ["language de", "3", "1.0 kB", "2.00", "2.50", "2.50"],
        ["all code", "3", "500 B", "2.50", "2.00", "2.00"],
    ]
    assert ["a.json", "300", "2", "0.12", "12.5", "0", "0", "1", "50.0", ""] in rows
    assert ["a.json", "128", "0.0", "0.1", "0.1", "0.2"] in rows
    assert "  most frequent: ␣[red]\\n-------------------------------… 12  \\xc3 5" in lines
    assert any(line.startswith("  glitch? (1 token): ") for line in lines)
    assert not any(line.startswith("  unreachable") for line in lines)
    assert lines[-1] == "plot: a.png"


def test_several_beside_each_other_and_against_another() -> None:
    total = group("all", "all text", 3500, 1150, 0.875)
    one = replace(inspection("runs/a/t.json", 300), against="base.json", total=total, groups=())
    lines = shown(one, replace(one, tokenizer="runs/b/t.json"))
    assert ["all text", "3", "3.5 kB", "1.64", "3.04", "0.875", "1.64", "3.04", "0.875"] in cells(lines)
    assert "tokens ×: ratio to the tokens of base.json" in lines
    assert {row[0] for row in cells(lines)} >= {"a/t.json", "b/t.json"}


def test_many_groups_are_cut() -> None:
    groups = tuple(group("language", f"l{number}", 1000, 100) for number in range(15))
    rows = cells(shown(inspection("a.json", 300, groups=groups)))
    assert [row[0] for row in rows[1:14]] == [*(f"language l{number}" for number in range(12)), "3 more, see --json"]


def test_heads_are_whole_on_a_narrow_terminal() -> None:
    found = [inspection(f"runs/{name}.json", 300) for name in "abc"]
    lines = printed(tokenizer.inspections, found, None, width=80)
    assert "…" not in "\n".join(lines).split("most frequent")[0]


def test_training() -> None:
    drawn = {"available_bytes": 9_000_000, "target_bytes": 3_000_000, "sample_bytes": 3_100_000, "documents": 1_200}
    found: dict[str, Any] = {
        "tokenizer": "t.json",
        "vocabulary": 900,
        "file_bytes": 12_345,
        "options": {"vocab_size": 1000},
        "stages": [{"name": "dedup", "address": "a"}],
        "sample": {"by": "source", "groups": [{"group": "web", **drawn}, {"group": "books", **drawn}]},
    }
    lines = printed(tokenizer.trained, found, "t.json.sample")
    assert ["web", "9.0 MB", "3.0 MB", "3.1 MB", "50.0", "1,200"] in cells(lines)
    assert "t.json: 900 tokens, 12,345 bytes, trained on dedup; the record is t.json.sample" in lines
    assert lines[-1] == "warning: the text was enough for only 900 of 1,000 tokens"
