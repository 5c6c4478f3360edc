"""The cascade: who reaches the careful parser, what a dropped page keeps, and that a repetition gives the same rows."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.component import Signals
from curation.core.document import DOCUMENT
from curation.core.errors import RecipeError
from curation.core.protocols import Extractor
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.address import Address, address_of
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.extract.cascade import Cascade
from curation.extract.pages import FELL_BACK, SIGNALS
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from curation.filters.gopher_quality import GopherQuality
from curation.filters.language import Language
from tests.crawl import make_archives
from tests.curation.extract.articles import ARTICLE, BOILERPLATE, SCRIPT_ONLY, STORY
from tests.curation.extract.raw_pages import never, raw_pages
from tests.support import table

WORDS = 30  # at least, in the judgement of these tests
LOOSE = GopherQuality(min_words=WORDS, min_stop_words=0, min_mean_word_length=1.0)
LONG = "people have to read the large book and be kind " * 4  # 40 words


@dataclass(frozen=True)
class Says(Extractor):
    """An extractor: the page is its own text, after `prefix`; empty, failing and hanging pages say so themselves."""

    prefix: str
    hangs: str = "hang"
    name: str = "fast"
    falls_back: bool = False
    tried: list[str] = field(default_factory=list)

    def signal_types(self) -> Signals:
        return {field.name: field.type for field in SIGNALS}

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        texts: list[str | None] = []
        reasons: list[str | None] = []
        given = zip(*(pages.column(c).to_pylist() for c in ("doc_id", "content", "drop_reason")), strict=True)
        for doc_id, content, reason in given:
            reason = (
                reason or f"extract:{caught[doc_id]}" if doc_id in caught else reason or self._read(doc_id, content)
            )
            if reason == "extract:timeout" and doc_id not in caught:
                on_caught(doc_id, "timeout")
            texts.append(None if reason else f"{self.prefix}{content.decode()}")
            reasons.append(reason)
        columns = {f.name: pages.column(f.name) for f in DOCUMENT if f.name in pages.schema.names}
        parser = self.name + FELL_BACK * self.falls_back
        signals = [
            None if content is None else {"html_bytes": len(content), "parser": parser}
            for content in pages.column("content").to_pylist()
        ]
        columns |= {"text": pa.array(texts, pa.large_string()), "drop_reason": pa.array(reasons, pa.string())}
        schema = DOCUMENT.append(pa.field("extract", SIGNALS))
        columns["extract"] = pa.array(signals, SIGNALS)
        return pa.RecordBatch.from_pydict({name: columns[name] for name in schema.names}, schema=schema)

    def _read(self, doc_id: str, content: bytes) -> str | None:
        self.tried.append(doc_id)
        causes = {b"": "empty", b"broken": "parser_error", self.hangs.encode(): "timeout"}
        return f"extract:{causes[content]}" if content in causes else None


def cascade(first: Says | None = None, then: Says | None = None, **options: int) -> Cascade:
    return Cascade(
        first={"fast": first or Says("")},
        judge={"gopher_quality": LOOSE},
        then={"slow": dataclasses.replace(then or Says("slow "), name="slow")},
        **options,
    )


def told(found: pa.RecordBatch) -> list[tuple[str | None, str | None, str | None]]:
    """Parser, reason and text of each row."""
    parsers = found.column("extract").field("parser").to_pylist()
    return list(zip(parsers, *(found.column(c).to_pylist() for c in ("drop_reason", "text")), strict=True))


SHORT = "word " * (WORDS - 1)  # 29 words, 145 characters


@pytest.mark.parametrize(
    ("content", "parser", "reason", "text"),
    [
        pytest.param(LONG, "slow", None, f"slow {LONG}", id="plausible"),
        pytest.param(SHORT + "word", "slow", None, f"slow {SHORT}word", id="at the limit"),
        pytest.param(SHORT, "fast", "gopher_quality.words:low", SHORT, id="one word less"),
        pytest.param("w" * 99, "slow", None, "slow " + "w" * 99, id="99 characters: too short to judge"),
        pytest.param("w" * 100, "fast", "gopher_quality.words:low", "w" * 100, id="100 characters"),
        pytest.param("é" * 99, "slow", None, "slow " + "é" * 99, id="characters, not bytes"),
        pytest.param("", "slow", "extract:empty", None, id="nothing found: the careful parser may find more"),
        pytest.param("broken", "fast", "extract:parser_error", None, id="an error of the fast parser"),
        pytest.param("hang", "fast", "extract:timeout", None, id="caught in the fast parser"),
    ],
)
def test_one_page(content: str, parser: str, reason: str | None, text: str | None) -> None:
    found = cascade().extract(raw_pages(content.encode()), {}, lambda *_: None)
    assert told(found) == [(parser, reason, text)]


def test_a_page_in_which_the_fast_parser_found_next_to_nothing_goes_on() -> None:
    found = cascade(Says("", falls_back=True)).extract(raw_pages(SHORT.encode()), {}, never)
    assert told(found) == [("slow", None, f"slow {SHORT}")]


def test_what_the_careful_parser_fell_back_on_is_said() -> None:
    found = cascade(then=Says("", falls_back=True)).extract(raw_pages(LONG.encode(), SHORT.encode()), {}, never)
    assert [parser for parser, _, _ in told(found)] == [f"slow{FELL_BACK}", "fast"]


def test_rows_columns_and_signals() -> None:
    pages = raw_pages(SHORT.encode(), LONG.encode(), None, drop_reason=[None, None, "extract:too_many_bytes"])
    found = cascade().extract(pages, {}, never)
    assert found.column("doc_id").to_pylist() == pages.column("doc_id").to_pylist()
    assert found.schema.names == [*DOCUMENT.names, "extract"]
    assert found.schema == cascade().schema()
    short, long, before = found.column("extract").to_pylist()
    assert (short["html_bytes"], short["gopher_quality"]["words"]) == (145, 29)
    assert long["gopher_quality"]["words"] == 40  # of the fast text, which is gone
    assert before is None
    assert told(found)[2][1:] == ("extract:too_many_bytes", None)


def test_how_short_is_too_short_to_judge_is_an_option() -> None:
    pages = raw_pages(b"w" * 10)
    assert told(cascade(min_characters=10).extract(pages, {}, never))[0][0] == "fast"
    assert told(cascade(min_characters=11).extract(pages, {}, never))[0][0] == "slow"


@pytest.mark.parametrize("which", ["first", "then"])
def test_what_either_parser_hung_on_is_dropped_untried_the_next_time(which: str) -> None:
    hanging = LONG + "hang"
    parts = {which: Says("", hangs=hanging)}
    pages = raw_pages(LONG.encode(), hanging.encode(), LONG.encode())
    caught: dict[str, str] = {}
    first = cascade(**parts).extract(pages, {}, caught.__setitem__)
    culprit = pages.column("doc_id")[1].as_py()
    assert caught == {culprit: "timeout" if which == "first" else "then.timeout"}
    assert told(first)[1] == ("fast" if which == "first" else "slow", "extract:timeout", None)
    parts[which].tried.clear()
    assert cascade(**parts).extract(pages, caught, never).equals(first)
    assert culprit not in parts[which].tried


def test_limits_by_language_follow_the_language_that_the_fast_text_has() -> None:
    judge = {
        "language": Language(min_score=0.1),
        "gopher_quality": GopherQuality(by_language={"en": {"min_words": 41}}),
    }
    judged = dataclasses.replace(cascade(), judge=judge).extract(raw_pages(LONG.encode()), {}, never)
    assert told(judged)[0][1] == "gopher_quality.words:low"
    assert judged.column("extract")[0].as_py()["language"]["label"] == "en"


def test_real_parsers() -> None:
    made = Cascade(
        first={"resiliparse": Resiliparse()},
        judge={"gopher_quality": GopherQuality(min_words=20)},
        then={"trafilatura": Trafilatura()},
    )
    pages = raw_pages(ARTICLE.encode(), BOILERPLATE.encode(), SCRIPT_ONLY.encode())
    found = made.extract(pages, {}, never)
    alone = Trafilatura().extract(pages, {}, never)
    assert [parser for parser, _, _ in told(found)] == ["trafilatura"] * 3  # the fast texts of the last two are short
    assert found.column("text").equals(alone.column("text"))
    assert STORY[0] in str(found.column("text")[0])
    assert found.column("extract").field("title").equals(alone.column("extract").field("title"))


RECIPE = """
version: 1
sources:
  web:
    - read: {warc: {paths: ["%s/*.warc.gz"]}}
    - extract:
        cascade:
          first: resiliparse
          judge: {language: {languages: [en], min_score: 0.1}, gopher_quality: {min_words: 20}}
          then: {trafilatura: {focus: precision}}
    - filter: {gopher_quality: {}}
"""


def recipe(folder: Path, *changes: tuple[str, str]) -> str:
    text = RECIPE % folder
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_recipe_builds_it_and_states_every_default(tmp_path: Path) -> None:
    made = parse(recipe(tmp_path), "m")
    part = made.sources["web"][1].components[0][1]
    assert part == Cascade(
        first={"resiliparse": Resiliparse()},
        judge={"language": Language(languages=("en",), min_score=0.1), "gopher_quality": GopherQuality(min_words=20)},
        then={"trafilatura": Trafilatura(focus="precision")},
    )
    assert [key for key, _ in part.judging()] == ["language", "gopher_quality"]
    plain = made.resolved()["sources"]["web"][1]["extract"]["cascade"]
    assert plain["judge"]["gopher_quality"]["max_words"] == 100_000
    assert plain["first"]["resiliparse"]["main_content"] is True
    assert plain["min_characters"] == 100


@table(
    ("old", "new", "message"),
    {
        "line": ("gopher_quality: {min_words: 20}", "gopher_qality: {}", "m:9: "),
        "rule set": ("gopher_quality: {min", "gopher_qality: {min", "did you mean 'gopher_quality'?"),
        "option": ("min_words: 20", "min_word: 20", "judge.gopher_quality.min_word: unknown option"),
        "parser": ("first: resiliparse", "first: resilparse", "did you mean 'resiliparse'?"),
        "part": ("first: resiliparse", "frist: resiliparse", "did you mean 'first'"),
        "two": ("first: resiliparse", "first: {resiliparse: {}, trafilatura: {}}", "extract takes one"),
        "nested": ("first: resiliparse", "first: {cascade: {}}", "first, judge, then must be given"),
        "one rule set": ("{language: {languages: [en], min_score: 0.1}, gopher", "{gopher", None),
        "no document": ("min_words: 20", "min_words: 10, max_words: 9", "10 is above max_words 9"),
        "language": (
            "gopher_quality: {min_words: 20}",
            "gopher_quality: {by_language: {de: {min_words: 9}}}",
            "by_language.de: the language stage keeps no document in it, only en; remove it",
        ),
        "no language": (
            "language: {languages: [en], min_score: 0.1}, gopher_quality: {",
            "gopher_quality: {by_language: {de: {min_words: 9}}, ",
            "judge.gopher_quality: reads column 'language', which no stage before makes; put `language: {…}` before it",
        ),
        "asset": ("min_score: 0.1", "model: nowhere.bin", "m:9: "),
    },
)
def test_what_a_recipe_may_say(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    text = recipe(tmp_path, (old, new))
    if message is None:
        assert build_plan(parse(text, "m"))[0].name == "extract"
        return
    with pytest.raises(RecipeError) as caught:
        build_plan(parse(text, "m"))
    assert message in str(caught.value)


def test_neither_parser_may_be_a_cascade() -> None:
    with pytest.raises(RecipeError, match="neither may be a cascade"):
        Cascade(first={"cascade": cascade()}, judge={}, then={"slow": Says("")})
    with pytest.raises(RecipeError, match="no rule set of a cascade can be called parser"):
        Cascade(first={"fast": Says("")}, judge={"parser": LOOSE}, then={"slow": Says("")})


def digest(text: str) -> str:
    made = parse(text, "m")
    return address_of(build_plan(made)[0], made, dict[int, Address](), {}).digest


def test_every_part_enters_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_archives(tmp_path, archives=1, pages=1)
    first = digest(recipe(tmp_path))
    changed = [
        recipe(tmp_path, ("min_words: 20", "min_words: 21")),
        recipe(tmp_path, ("first: resiliparse", "first: {resiliparse: {links: true}}")),
        recipe(tmp_path, ("focus: precision", "focus: recall")),
        recipe(tmp_path, ("first: resiliparse", "first: resiliparse\n          min_characters: 99")),
        recipe(
            tmp_path,
            ("language: {languages: [en], min_score: 0.1}, gopher_quality: {min_words: 20}",
             "gopher_quality: {min_words: 20}, language: {languages: [en], min_score: 0.1}"),
        ),
    ]  # fmt: skip
    assert len({first, *(digest(text) for text in changed)}) == 6
    assert digest(recipe(tmp_path, ("min_words: 20", "min_words: 20, max_words: 100000"))) == first
    monkeypatch.setattr(GopherQuality, "version", GopherQuality.version + 1)
    assert digest(recipe(tmp_path)) != first


def test_a_run_keeps_every_page_and_can_say_why(tmp_path: Path) -> None:
    make_archives(tmp_path / "crawl", archives=1, pages=12)
    text = recipe(tmp_path / "crawl")
    run = runner.curate(parse(text, "m"), str(tmp_path / "run"), Inline())
    folder = tmp_path / "run" / run.stages[0].folder
    table = pq.read_table(sorted(folder.glob("part-*.parquet"))[0])
    assert table.num_rows == 12
    (german,) = (row for row in table.to_pylist() if row["drop_reason"] == "language.label:not_in")
    assert "Der alte Fluss" in german["text"]
    assert german["extract"]["parser"] == "resiliparse"
    assert german["extract"]["language"]["label"] == "de"
    (story,) = Run.open(tmp_path / "run").why(doc_id=german["doc_id"])
    (decision,) = story.decisions
    assert decision.values["language"] == german["extract"]["language"]
    assert "language" not in decision.values["extract"]
    assert {"rule": "language.label", "one_of": ["en"]} in decision.limits
    manifest = Run.open(tmp_path / "run").stages[0].manifest
    assert manifest.merged("fired")["language.label:not_in"] == 1
    extract = Run.open(tmp_path / "run").funnel().stages[0]
    parsers = [row["extract"]["parser"] for row in table.to_pylist()]
    assert extract.parsers == {name: parsers.count(name) for name in ("resiliparse", "trafilatura")}
    assert sum(extract.parsers.values()) == 12
    assert extract.never_fired == ()
