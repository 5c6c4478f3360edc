"""The mix at the end of the funnel: what was to be taken, what is, and what has run out."""

from typing import Any

from curation.account.funnel import Funnel
from curation.account.mixture import MixLine, Mixture
from pipelines.render.funnel import funnel
from tests.pipelines.render.printed import cells, printed


def line(phase: str, source: str, weight: float, tokens: int, **changes: Any) -> MixLine:
    values = {"target_tokens": tokens + 0.4, "rows": tokens // 10, "available_rows": 40, "capped": False} | changes
    return MixLine(phase=phase, source=source, weight=weight, tokens=tokens, epochs=tokens / 400, **values)


def shown(
    *lines: MixLine, shortfalls: tuple[str, ...] = (), other_runs: tuple[str, ...] = (), width: int = 200
) -> list[str]:
    mixture = Mixture("mix", "f", 0, 11, lines, other_runs, (), shortfalls)
    return printed(funnel, Funnel("r", True, (), {}, (), mixture), width=width)


def test_one_phase_has_no_name_and_the_largest_source_stands_first() -> None:
    found = shown(line("mix", "code", 0.25, 250), line("mix", "web", 0.75, 750), line("mix", "wiki", 0.0, 0))
    rows = cells(found)
    assert "mix: what training sees" in [one.strip() for one in found]
    assert [row[0] for row in rows] == ["web", "code"]
    assert ["web", "75.00", "750", "750", "75.00", "1.88"] in rows
    assert ["code", "25.00", "250", "250", "25.00", "0.625"] in rows
    assert not any(row[0] == "wiki" for row in rows), "it was left out by its weight"


def test_shares_of_labels_over_several_sources() -> None:
    several = shown(line("mix", "web/en", 0.5, 500), line("mix", "notes/en", 0.2, 200), line("mix", "web/de", 0.3, 300))
    assert "over all sources: en 70.00 %, de 30.00 %" in several
    for others in (["web/en", "web/de"], ["web", "books"]):
        assert not any(one.startswith("over all") for one in shown(*(line("mix", name, 0.5, 500) for name in others)))


def test_what_a_mix_leaves_out_is_named() -> None:
    none = [line("mix", name, 0.0, 0, available_rows=rows) for name, rows in (("a/en", 1), ("a/tr", 9), ("a/zh", 0))]
    found = shown(line("mix", "web", 1.0, 900), *none)
    assert "left out, because their weight is 0: a/tr (9 rows), a/en (1 row)" in found
    assert not any(one.startswith("left out") for one in shown(line("mix", "web", 1.0, 900)))


def test_phases_in_order_and_totals() -> None:
    lines = [
        line("main", "web", 1.0, 900),
        line("anneal", "books", 0.5, 50, capped=True),
        line("anneal", "web", 0.5, 60),
    ]
    found = shown(*lines, other_runs=("/runs/old/05-pack",))
    titles = [one.strip() for one in found if "what training sees" in one]
    assert titles == ["mix, phase main: what training sees", "mix, phase anneal: what training sees"]
    assert [row[:3] for row in cells(found)] == [
        ["web", "100.00", "900"], ["web", "50.00", "60"], ["books", "50.00", "* 50"],
    ]  # fmt: skip
    assert "* the source or a sub-source has no more for this phase: others supply the rest" in found
    assert "mixed tokens: 1,010 in 101 rows of 10" in found
    assert "with rows of /runs/old/05-pack" in found


def test_shortfalls_are_warnings() -> None:
    found = shown(line("main", "web", 1.0, 900), shortfalls=("anneal has no row of [de]",))
    assert [one for one in found if one.startswith("warning")] == ["warning: anneal has no row of [de]"]


def test_many_sources_are_cut_to_the_largest() -> None:
    found = shown(*(line("mix", f"s{number}", 0.01, number) for number in range(1, 41)))
    assert [row[0] for row in cells(found)][-30:] == [f"s{number}" for number in range(40, 10, -1)]
    assert "… and 10 smaller lines (--json has them)" in found


def test_sub_sources_are_added_up_where_they_are_many() -> None:
    languages = [line("mix", f"web/l{number}", 0.02, 20, available_rows=2) for number in range(30)]
    found = shown(*languages, line("mix", "code", 0.2, 200), line("mix", "old/web/en", 0.2, 190))
    assert cells(found) == [
        ["web (30)", "60.00", "612", "600", "60.61", "1"],
        ["code", "20.00", "200", "200", "20.20", "0.5"],
        ["old/web/en", "20.00", "190", "190", "19.19", "0.475"],
    ]
    assert "sub-sources are added up (--json has each)" in found
    assert len(cells(shown(*languages))) == 30, "that many have a line each"


def test_many_tokens_fit_a_narrow_terminal() -> None:
    found = shown(line("mix", "encyclopedia", 1.0, 10**10 - 1, capped=True, target_tokens=1e10), width=80)
    assert cells(found)[0][:3] == ["encycloped", "100.00", "* 10,000,000,000"]
    found = shown(line("mix", "encyclopedia", 1.0, 10**12, capped=True), width=80)
    assert cells(found)[0][:4] == ["encyclopedia", "100.00", "* 1,000,000", "1,000,000"]
    assert any("tokens M" in one for one in found)
    assert max(map(len, found)) <= 80


def test_no_mix_no_table() -> None:
    assert "what training sees" not in "\n".join(printed(funnel, Funnel("r", True, (), {})))
