"""Words that parsers drop: times, labels and buttons in sentences, and figures that hold text."""

import pytest

from curation.extract.prepare.inline import dropped_by_trafilatura, figures_with_text, words_in_sentences
from tests.curation.extract.prepare.rewritten import rewritten


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<p>on <time>2 May</time>.</p>", "<p>on <span>2 May</span>.</p>", id="words before"),
        pytest.param("<p>on <time>2 May</time> and</p>", "<p>on <span>2 May</span> and</p>", id="words on both sides"),
        pytest.param("<p>1 <time>2 May</time>, 3", "<p>1 <span>2 May</span>, 3", id="a number, a comma"),
        pytest.param(
            "<p><time>2</time> abcdefghij klmnopqrst", "<p><span>2</span> abcdefghij klmnopqrst", id="enough after"
        ),
        pytest.param(
            "<p>abcdefghij klmnopqrst <time>2</time>", "<p>abcdefghij klmnopqrst <span>2</span>", id="enough before"
        ),
        pytest.param(
            "<p><time>2</time> abcdefghij klmnopqrs", "<p><time>2</time> abcdefghij klmnopqrs", id="a letter less"
        ),
        pytest.param(
            "<p>Last updated on <time>2 May</time></p>", "<p>Last updated on <time>2 May</time></p>", id="a byline"
        ),
        pytest.param(
            "<p>Press <b><button>Go</button></b>.</p>", "<p>Press <b><span>Go</span></b>.</p>", id="in bold, a stop"
        ),
        pytest.param(
            "<p>a <button>b <button>c</button> d", "<p>a <button>b <button>c</button> d", id="a button that never ends"
        ),
        pytest.param("<p>a <label for=x>b</label> c", "<p>a <span for=x>b</span> c", id="attributes stay"),
        pytest.param("<p>庭<TIME>五月</TIME>。花</p>", "<p>庭<span>五月</span>。花</p>", id="Japanese, capitals"),
        pytest.param("<p>庭<time>五月</time>，花</p>", "<p>庭<span>五月</span>，花</p>", id="a wide comma"),
        pytest.param("<p>a<!-- x --> <time>b</time> c", "<p>a<!-- x --> <span>b</span> c", id="a comment between"),
        pytest.param("<p>a</p><time>b</time><p>c</p>", "<p>a</p><time>b</time><p>c</p>", id="blocks around"),
        pytest.param("<p>a<br><time>b</time><br>c", "<p>a<br><time>b</time><br>c", id="lines around"),
        pytest.param("<p>&nbsp;<time>b</time> · </p>", "<p>&nbsp;<time>b</time> · </p>", id="no words around"),
        pytest.param(
            "<p>• <label>b</label><input><!-- a --></p>",
            "<p>• <label>b</label><input><!-- a --></p>",
            id="a bullet, a field",
        ),
        pytest.param(
            "<div><button>Yes</button><button>No</button></div>",
            "<div><button>Yes</button><button>No</button></div>",
            id="buttons in a row",
        ),
        pytest.param("<p>a <time>b", "<p>a <time>b", id="no end"),
    ],
)
def test_words_in_sentences(markup: str, expected: str) -> None:
    assert rewritten(markup, words_in_sentences) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<figure><pre>a</pre></figure>", "<div><pre>a</pre></div>", id="code"),
        pytest.param("<figure class=q><blockquote>a", "<figure class=q><blockquote>a", id="no end"),
        pytest.param(
            "<figure class=q><p><blockquote>a</blockquote></figure>",
            "<div class=q><p><blockquote>a</blockquote></div>",
            id="a quotation",
        ),
        pytest.param(
            "<figure><figure><img></figure><figure><table></table></figure></figure>",
            "<div><figure><img></figure><div><table></table></div></div>",
            id="one of two inside",
        ),
        pytest.param(
            "<figure><img><figcaption>a <code>b</code></figcaption></figure>",
            "<figure><img><figcaption>a <code>b</code></figcaption></figure>",
            id="code in a caption",
        ),
        pytest.param("<figure></figure><pre>a</pre>", "<figure></figure><pre>a</pre>", id="outside"),
    ],
)
def test_figures_with_text(markup: str, expected: str) -> None:
    assert rewritten(markup, figures_with_text) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<q>a</q><Q cite=x>b</Q>", "<span>a</span><span cite=x>b</span>", id="quotations"),
        pytest.param("<code>a<code>b</code>c</code>", "<code>a<span>b</span>c</code>", id="code in code"),
        pytest.param("<code>a</code><code>b</code>", "<code>a</code><code>b</code>", id="code beside code"),
        pytest.param("<q>a", "<q>a", id="no end"),
    ],
)
def test_dropped_by_trafilatura(markup: str, expected: str) -> None:
    assert rewritten(markup, dropped_by_trafilatura) == expected
