"""The visible text of made pages, by hand."""

import pytest

from benchmarks.extraction.visible import visible


def texts(html: str) -> list[str]:
    page = visible(html)
    return [page.text[block.start : block.stop] for block in page.blocks]


def runs(html: str) -> list[tuple[str, str]]:
    page = visible(html)
    return [(run.kind, page.text[run.start : run.stop]) for run in page.runs]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>One <b>two</b><div>three", ["Onetwo", "three"], id="blocks"),
        pytest.param("<div>a<p>b</p>c</div>", ["a", "b", "c"], id="text beside blocks"),
        pytest.param("<p>a<br>b<br><br>c", ["ab", "c"], id="two breaks begin a block"),
        pytest.param(
            "<title>a</title><script>b</script><p hidden>c</p><p style='display: none'>d</p>e", ["e"], id="hidden"
        ),
        pytest.param("<select><option>a</select><textarea>b</textarea>c", ["c"], id="what fills controls"),
        pytest.param("<ol start=3><li>a<li value=9>b<li><p>c</ol>", ["3.a", "9.b", "10.c"], id="numbers of lists"),
        pytest.param("<ol reversed><li>a<li>b</ol><ol type=a><li>c</ol>", ["2.a", "1.b", "c"], id="other numbers"),
        pytest.param("<ul><li>a</ul>", ["a"], id="bullets are no text"),
        pytest.param("", [], id="an empty page"),
    ],
)
def test_blocks(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>a<sup><i>2</i></sup>", [("", "a"), ("sup", "2")], id="a telling element around another"),
        pytest.param("<p><a href=x>a <b>b</b></a>", [("a", "a"), ("b", "b")], id="the innermost of others"),
        pytest.param("<p><a href=x><span>a</span></a>", [("span", "a")], id="a span"),
        pytest.param("<p>a<sup><a href='#n'>1</a></sup>", [("", "a"), ("footnote mark", "1")], id="a footnote's mark"),
        pytest.param(
            "<p><ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>", [("ruby", "字"), ("ruby reading", "じ")], id="ruby"
        ),
        pytest.param("<p><span class=katex><b>x</b></span>", [("formula", "x")], id="a formula's boxes"),
        pytest.param("<button><div>a</div></button>", [("button", "a")], id="a block in a button"),
    ],
)
def test_kinds(html: str, expected: list[tuple[str, str]]) -> None:
    assert runs(html) == expected


@pytest.mark.parametrize(
    ("text", "short"), [("≠", True), (" x² ", True), (",&nbsp;", True), ("abc", False), ("é", False)]
)
def test_a_run_of_three_bytes_ends_outside_ascii(text: str, short: bool) -> None:
    assert [run.short for run in visible(f"<p>a <b>{text}</b>").runs] == [False, short]


def test_gaps_and_indents() -> None:
    page = visible("<pre>a\n <b> c</b>d\n</pre><p>e f<br>g")
    assert page.text == "acdefg"
    assert page.gaps.tolist() == [3, 1, 0, 3, 1, 2]
    assert page.indents.tolist() == [0, 2, -1, -1, -1, -1]


def test_places() -> None:
    html = "<nav><ul><li>a</ul></nav><main><div><ul><li>b</ul></div><ul><li>c</ul><h2>d</h2><table><td>e</table><p>f"
    assert [block.place for block in visible(html).blocks] == [
        "navigation, header, footer, aside",
        "list within 3 levels of body",
        "list within 3 levels of body",
        "heading",
        "in <table>",
        "paragraph",
    ]
