"""The learnt extractor: what it takes of a page, what takes its place, its limits, and models that it refuses."""

from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError
from curation.extract.cascade import Cascade
from curation.extract.learnt import Learnt
from curation.extract.resiliparse import Resiliparse
from curation.filters.gopher_quality import GopherQuality
from tests.curation.extract.articles import ARTICLE, LINKS, STORY
from tests.curation.extract.raw_pages import never, raw_pages, texts, token_f1
from tests.curation.extract.student.made_pages import made_page
from tests.curation.extract.student.small_model import small_model


@pytest.fixture(scope="module")
def learnt() -> Learnt:
    return Learnt(model=small_model())


def test_pages_of_hosts_that_it_has_not_seen(learnt: Learnt) -> None:
    pages = [made_page(number) for number in range(500, 530)]
    found = texts(learnt, *(page for page, _, _ in pages))
    scores = [token_f1(text or "", truth) for text, (_, truth, _) in zip(found, pages, strict=True)]
    assert sum(scores) / len(scores) > 0.9


def test_what_it_says_of_a_page(learnt: Learnt) -> None:
    found = learnt.extract(raw_pages(ARTICLE.encode(), LINKS.encode()), {}, never)
    parsers = [row["parser"] for row in found.column("extract").to_pylist()]
    assert parsers[0] == "learnt"
    assert "Fog over the bay\n\n" + "\n\n".join(STORY) == found.column("text")[0].as_py()


def test_the_title_stands_first_wherever_the_page_shows_it(learnt: Learnt) -> None:
    title = "<h1>Fog over the bay</h1>"
    page = ARTICLE.replace(title, "").replace("<nav>", f"<nav>{title}<b>Harbour news</b>")
    page = page.replace("<title>Fog</title>", "<title>Fog over the bay | Harbour news</title>")
    assert texts(learnt, page) == ["Fog over the bay\n\n" + "\n\n".join(STORY)]


def test_visible_prose_takes_the_place_of_next_to_nothing(learnt: Learnt) -> None:
    page = f"<html><body><div><a href=/>{STORY[0]} {STORY[1]}</a></div><p>{STORY[2]}</p></body></html>"
    found = learnt.extract(raw_pages(page.encode()), {}, never)
    text = found.column("text")[0].as_py()
    assert text is not None
    assert STORY[2] in text


def test_formulas_are_text(learnt: Learnt) -> None:
    formula = "<math><mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mn>1</mn></mrow></math>"
    page = ARTICLE.replace(STORY[1], f"{STORY[1]} It holds that {formula} is positive. {STORY[2]}")
    (text,) = texts(learnt, page)
    assert text is not None
    assert "It holds that $x^{2} + 1$ is positive." in text or "$x^{2}+1$" in text


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        (b"<div>" * 100_000, "extract:too_deep"),
        (b"<p>a" * 500_000, "extract:too_many_nodes"),
        (b"<p " + b"".join(b"a%d=1 " % n for n in range(5_000)) + b">text", "extract:too_many_attributes"),
    ],
)
def test_limits_are_counted(learnt: Learnt, markup: bytes, reason: str) -> None:
    found = learnt.extract(raw_pages(markup), {}, never)
    assert found.column("drop_reason").to_pylist() == [reason]


def test_utf_16_that_says_it_is_utf_8(learnt: Learnt) -> None:
    (text,) = texts(learnt, ARTICLE.encode("utf-16"))
    assert text is None or "\0" not in text


def test_on_either_side_of_a_cascade(learnt: Learnt) -> None:
    judge = {"gopher_quality": GopherQuality(min_words=20)}
    for first, then in ((learnt, Resiliparse()), (Resiliparse(), learnt)):
        keys = ["learnt" if one is learnt else "resiliparse" for one in (first, then)]
        cascade = Cascade(first={keys[0]: first}, judge=judge, then={keys[1]: then})
        found = cascade.extract(raw_pages(made_page(7)[0]), {}, never)
        assert found.column("extract").to_pylist()[0]["parser"] == keys[1]
        assert found.column("text")[0].as_py()


def test_a_model_is_checked_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="model names no file"):
        Learnt(model="")
    with pytest.raises(InputError, match=r"none\.bin"):
        Learnt(model=str(tmp_path / "none.bin")).assets()
    content = Path(small_model()).read_bytes()
    for name, damaged in {"other": b"PK" + content, "short": content[:-1], "empty": b""}.items():
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(InputError, match=name):
            Learnt(model=str(tmp_path / name)).assets()
