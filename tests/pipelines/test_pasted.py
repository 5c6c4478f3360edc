"""Each piece of YAML that a command prints, pasted into the recipe, gives the verdicts that were promised.

What `winnow inspect` and `winnow init` print is pasted by their own tests.
"""

import html
from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from curation.account.run import Run
from curation.account.tune.limits import parse_changes
from pipelines.commands.card import card
from pipelines.render.tune import tunings
from pipelines.report.report import write_report
from tests.curation.account.corpus import made, reasons, write_lines

GERMAN = (
    "Am Morgen lag Nebel über dem Hafen, und die Fischer warteten auf besseres Wetter. Niemand wollte als Erster "
    "hinausfahren, denn der Wind hatte sich gedreht. Im kleinen Laden am Kai kochte die Wirtin Kaffee und erzählte, "
    "wie es früher gewesen war. Gegen Mittag brach die Sonne durch, und bald waren alle Boote draußen auf dem Wasser."
)
ENGLISH = (
    "In the morning there was fog over the harbour, and the fishermen waited for better weather. Nobody wanted to be "
    "the first to go out, because the wind had turned. In the small shop on the quay the landlady made coffee and told "
    "stories of the old days. Towards noon the sun broke through, and soon all of the boats were out on the water."
)
RECIPE = """
version: 1
name: pasted
sources:
  web:
    - read: {jsonl: {paths: [%(folder)s/web.jsonl], url: url}}
    - filter: {language: {languages: [de, en], min_scores: {de: 0.3}}}
      name: spoken
    - filter:
        gopher_quality: {by_language: shipped}
        c4_quality: {min_sentences: 2}
      name: quality
      expect_kept: [0.0, 1.0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pasted")
    texts = [text[: 60 * length] for length in range(1, 6) for text in (GERMAN, ENGLISH)]
    write_lines(folder / "web.jsonl", [{"text": text, "url": f"https://a.example/{n}"} for n, text in enumerate(texts)])
    made(RECIPE % {"folder": folder}, folder / "run")
    return folder


def kept(run: Run, stage: str) -> int:
    return sum(reason is None for reason in reasons(run, stage).values())


@pytest.mark.parametrize(
    ("settings", "stage"),
    [
        pytest.param(["gopher_quality.min_words=40"], "quality", id="kits stay"),
        pytest.param(["gopher_quality.max_mean_word_length=5.3"], "quality", id="a limit that kits have too"),
        pytest.param(["gopher_quality.by_language.de.min_words=20"], "quality", id="a language"),
        pytest.param(["c4_quality.min_sentences=3", "gopher_quality.min_words=20"], "quality", id="two filters"),
        pytest.param(["language.min_score=0.1"], "spoken", id="beside scores of languages"),
    ],
)
def test_what_tune_prints(folder: Path, tmp_path: Path, settings: list[str], stage: str) -> None:
    run = Run.open(folder / "run")
    (tuned,) = run.tune(stage, changes=parse_changes(settings))
    shown = StringIO()
    tunings(Console(file=shown, width=80), [tuned])
    lines = shown.getvalue().split("with:\n")[1].split("note:")[0]
    recipe = yaml.safe_load(RECIPE % {"folder": folder})
    chain = recipe["sources"]["web"]
    (place,) = (number for number, item in enumerate(chain) if item.get("name") == stage)
    (chain[place],) = yaml.safe_load(lines)
    after = made(yaml.safe_dump(recipe, sort_keys=False), tmp_path / "run")
    assert kept(after, stage) == tuned.kept_after
    assert after.stage(stage).manifest.merged("dropped") == tuned.dropped_after


QUANTILES = """
version: 1
name: quantiles
sources:
  web:
    - read: {jsonl: {paths: [%(folder)s/many.jsonl], url: url}}
    - filter: {language: {languages: [de, en], min_score: 0.1}, c4_quality: {min_sentences: 1}}
      name: spoken
    - filter: {gopher_quality: {min_stop_words: 0, min_words: 1}}
      name: measured
    - fit: {quantiles: {signals: [gopher_quality.words], by: language.label}}
    - filter:
        gopher_quality:
          min_stop_words: 0
          min_words: "@quantiles p10 by language.label"
          max_words: "@quantiles p90 by language.label"
      name: quality
"""


def test_limits_that_no_recipe_can_state_are_not_printed_as_one(folder: Path, tmp_path: Path) -> None:
    words = [(GERMAN if n % 2 else ENGLISH).split() * 2 for n in range(240)]
    texts = [" ".join(own[: 10 + n // 4]) for n, own in enumerate(words)]
    write_lines(
        folder / "many.jsonl", [{"text": text, "url": f"https://b.example/{n}"} for n, text in enumerate(texts)]
    )
    run = made(QUANTILES % {"folder": folder}, tmp_path / "before")
    (tuned,) = run.tune("quality", changes=parse_changes(["gopher_quality.min_words=12"]))
    shown = StringIO()
    tunings(Console(file=shown, width=500), [tuned])
    assert "- filter:" not in shown.getvalue()
    assert "judges again by quantiles what an earlier stage measured with gopher_quality" in shown.getvalue()


def test_the_german_documents_stay(folder: Path) -> None:
    """Without its kit, German prose fails the limits on English stop words."""
    (tuned,) = Run.open(folder / "run").tune("quality", changes=parse_changes(["gopher_quality.min_words=10"]))
    assert tuned.item["filter"]["gopher_quality"]["by_language"]["de"]["stop_words"]
    assert "gopher_quality.stop_words:low" not in tuned.dropped_after


def addresses(run: Run) -> list[str]:
    return [stage.manifest.address for stage in run.stages]


@pytest.fixture(scope="module")
def shown(folder: Path) -> Path:
    card(str(folder / "run"), output=str(folder))
    write_report(str(folder / "run"), str(folder / "report.html"))
    return folder


@pytest.mark.parametrize(
    ("file", "begin", "end"),
    [
        pytest.param("report.html", '<pre tabindex="0">version', "</pre>", id="report"),
        pytest.param("card.md", "```yaml\nversion", "```", id="card"),
    ],
)
def test_the_whole_recipe(shown: Path, tmp_path: Path, file: str, begin: str, end: str) -> None:
    recipe = "version" + html.unescape((shown / file).read_text().split(begin)[1].split(end)[0])
    assert "by_language: shipped" in recipe
    assert addresses(made(recipe, tmp_path / "run")) == addresses(Run.open(shown / "run"))
