"""Trees of the main text, in TEI's names, written in the normal form."""

import pytest
from lxml import etree

from curation.extract.body_tree import written
from curation.extract.marks import CODE_CLOSES, CODE_OPENS
from curation.extract.normal_form import CELL

LONG = "word " * (CELL // 5)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("<p>a\n  b</p>\n<p>c</p>", "a b\n\nc", id="paragraphs"),
        pytest.param("<p>a<lb/>b<lb/><lb/>c</p>", "a\nb\n\nc", id="a break, two breaks"),
        pytest.param("<head>t</head><p>a</p>tail<quote>b<p>c</p></quote>", "t\n\na\n\ntail\n\nb\n\nc", id="blocks"),
        pytest.param("<p>a <code>b\n  c</code>, d</p>", "a b c, d", id="code in a line"),
        pytest.param("<p>a</p><code>b\n\n    c</code>", "a\n\nb\n\n    c", id="code that is a block"),
        pytest.param("<code><code>a<lb/>  b</code> c</code>", "a\n  b c", id="code in code, with breaks"),
        pytest.param("<p>a<!-- no -->b</p>", "ab", id="a comment"),
        pytest.param("<p>a<td>b</td><td>c</td></p>", "a\nb\nc", id="cells outside of a row"),
        pytest.param("<table><tr><td>a</td><th>b</th></tr></table>", "a\tb", id="a row by the names of HTML"),
        pytest.param("<p>a<li>b</li>c</p><ul><li>d</li></ul>", "a\nb\nc\n\n- d", id="items by the names of HTML"),
    ],
)
def test_blocks(body: str, text: str) -> None:
    assert written(etree.fromstring(f"<body>{body}</body>")) == text


@pytest.mark.parametrize(
    ("lists", "text"),
    [
        pytest.param("<list><item>a\n b</item><item>c</item></list>", "- a b\n- c", id="items"),
        pytest.param('<list rend="ol"><item>a</item><item>b</item></list>', "1. a\n2. b", id="numbers"),
        pytest.param('<list rend="dl"><item>a</item><item>b</item></list>', "a\nb", id="terms"),
        pytest.param("<list><item><p>a</p><p>b</p></item><item/></list>", "- a\nb", id="two blocks, none"),
        pytest.param("<list><item>a<list><item>b</item></list>c</item></list>", "- a\n  - b\nc", id="a list within"),
        pytest.param("<list><item>a<lb/>b</item></list>", "- a\nb", id="a break"),
        pytest.param("<list><item>a <code>b\nc</code></item></list>", "- a b c", id="code of a line"),
        pytest.param(
            f"<list><item>a<code>{CODE_OPENS}b\n  c{CODE_CLOSES}</code></item></list>",
            "- a\n\nb\n  c",
            id="preformatted code",
        ),
    ],
)
def test_lists(lists: str, text: str) -> None:
    assert written(etree.fromstring(f"<body><p>x</p>{lists}<p>y</p></body>")) == f"x\n\n{text}\n\ny"


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        pytest.param("<cell>a</cell><cell> b\n c</cell>", "a\tb c", id="cells"),
        pytest.param("<cell>a</cell><cell/><cell>c</cell><cell/>", "a\t\tc", id="empty cells"),
        pytest.param("<cell>a<p>b</p></cell><cell>c<lb/>d</cell>", "a b\tc d", id="blocks in a cell"),
        pytest.param("<cell>a</cell><cell><code>b\n  c</code></cell>", "a\n\nb\n  c", id="lines of code in a cell"),
        pytest.param("<cell><list><item>a</item><item>b</item></list></cell>", "a b", id="a list in a cell"),
        pytest.param(f"<cell>{LONG}<p>b</p></cell><cell>c</cell>", f"{LONG.strip()}\n\nb\n\nc", id="layout"),
        pytest.param(f"<cell>{LONG}</cell><cell>c</cell>", f"{LONG.strip()}\tc", id="a long cell without blocks"),
    ],
)
def test_rows(cells: str, text: str) -> None:
    assert written(etree.fromstring(f"<body><table><row>{cells}</row></table></body>")) == text


def test_several_trees_and_none() -> None:
    trees = [etree.fromstring(f"<body><p>{name}</p></body>") for name in "ab"]
    assert written(trees[0], None, trees[1]) == "a\n\nb"


def test_nested_tables_cost_no_more_than_their_size() -> None:
    tree = etree.Element("body")
    inner = tree
    for _ in range(100):
        inner = etree.SubElement(etree.SubElement(etree.SubElement(inner, "table"), "row"), "cell")
        inner.text = LONG
    assert written(tree).count("word") == 100 * (CELL // 5)
