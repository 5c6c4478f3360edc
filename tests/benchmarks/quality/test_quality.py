"""What is good, junk or neither; what a page states; what recipes keep, on pages made here."""

import pyarrow as pa
import pytest

from benchmarks.quality.kept import CHOOSE, REPORT, recipe_figures
from benchmarks.quality.pages import JUNK, TEXT, Page, read_pages
from benchmarks.quality.recipes import RECIPES, RECORD, Fate, judge, read_recipe
from benchmarks.quality.texts import Wholeness, stated
from curation.filters.language import Language
from tests.support import SHARED, documents, needs_shared_data

PROSE = "The mill by the river has stood there for a hundred years, and people still come to see it.\n" * 8


def page(record: str = "a", label: str = "", **truth: object) -> Page:
    return Page(record, "en", "article", truth, label)


@pytest.mark.parametrize(
    ("truth", "f1"),
    [
        pytest.param({"truth_kind": "full_text", "text": "one two"}, 0.8, id="words"),
        pytest.param({"truth_kind": "reference_extraction", "text": "one two three"}, 1.0, id="a reference"),
        pytest.param({"truth_kind": "full_text", "text": ""}, None, id="an empty truth"),
        pytest.param({"truth_kind": "segments", "with": ["one", "four"], "without": ["three"]}, 0.5, id="strings"),
        pytest.param({"truth_kind": "mismatch", "text": "one"}, None, id="not on the page"),
        pytest.param({}, None, id="none"),
    ],
)
def test_f1(truth: dict[str, object], f1: float | None) -> None:
    assert page(**truth).f1("one two three") == (None if f1 is None else pytest.approx(f1))
    assert page(**truth).good("one two three") == (f1 is not None and f1 >= 0.7)
    assert page(**truth).judged() == (f1 is not None)


def test_what_a_page_states() -> None:
    markup = (
        "<title>The mill - a site</title><h1>The <b>mill</b></h1>"
        '<math alttext="x^2"><mi>x</mi></math>'
        '<math alttext="never"><annotation encoding="application/x-tex">{\\displaystyle a &lt; b}</annotation></math>'
        '<script type="math/tex; mode=display">e</script><img alt="\\frac{1}{2}"><img alt="a mill">'
    )
    assert stated(markup) == ("the mill", ["a<b", "e", "x^2", "\\frac{1}{2}"])
    assert stated("<title>News</title><h1>Other words entirely</h1>") == ("", [])


def test_wholeness_adds_up() -> None:
    found = Wholeness()
    truth = {"truth_kind": "full_text", "text": "The mill = old, a ≠ b"}
    found.add(page(**truth), stated("<title>The mill</title><h1>The mill</h1>"), "the mill = old, a b")
    found.add(page(label=TEXT), stated('<math alttext="x y"></math><math alttext="z"></math>'), "it is x y")
    assert found.f1 == [1.0]
    assert (found.titles, found.titles_found) == (1, 1)
    assert (found.characters, found.characters_lost) == (15, 2)  # "T", "≠"
    assert (found.formulas, found.formulas_kept) == (2, 1)


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_judge_every_language(name: str) -> None:
    _, steps = read_recipe(name)
    languages = [one for step in steps for _, one in step.components if isinstance(one, Language)]
    assert len(languages) == 1
    assert languages[0].languages == ()
    assert steps[-1].verb.judges


def test_a_recipe_keeps_prose_and_says_what_drops_the_rest() -> None:
    _, steps = read_recipe("c4")
    batch = documents(PROSE, "Sign in\n" * 40, None, drop_reason=[None, None, "extract:empty"])
    fate = judge("c4", steps, batch.append_column(RECORD, pa.array(["a", "b", "c"])))
    assert fate.kept == {"a"}
    assert "b" in fate.beyond["c4_quality.sentences:low"]
    assert fate.beyond["extract"] == {"c"}


def test_figures_of_a_recipe() -> None:
    truth = {"truth_kind": "full_text", "text": "one two"}
    pages = {
        "a": page("a", **truth),
        "b": page("b", **truth),
        "c": page("c", JUNK),
        "d": page("d", TEXT),
        "e": page("e"),
        "f": page("f", **truth),
    }
    texts = {**dict.fromkeys("abcde", "one two"), "f": "other"}
    figures = recipe_figures(pages, Fate(frozenset("acdef"), {"x.y:low": frozenset("bc")}), texts)
    assert figures["languages"] == {"others": {"good": 2, "kept": 1}}
    assert figures["types"] == {"article": {"good": 2, "kept": 1}}
    assert figures["junk"] == {"junk": 1, "kept_junk": 1, "kept": 4, "kept_poor": 1}
    assert figures["limits"] == {"others": {"x.y:low": 1}}


@needs_shared_data
def test_halves_share_no_page() -> None:
    chosen, reported = (read_pages(SHARED / "web", half) for half in (CHOOSE, REPORT))
    assert chosen
    assert reported
    assert not chosen.keys() & reported.keys()
    assert any(page.label == JUNK for page in chosen.values())
