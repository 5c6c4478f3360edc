"""Every shipped recipe runs from archives to a mix, and a recipe that spells values out spells out the paper's.

Recipes of mixtures have their tests in `test_mixtures.py` and `test_corpus_mixtures.py`.
"""

import json
import random
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.errors import UserError
from curation.engine.driver.runner import curate
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.filters.language import LOW, Language
from curation.fit.ngram_model import NgramModel
from curation.fit.sentencepiece import Sentencepiece
from tests.crawl import make_archives, prose
from tests.curation.account.corpus import german
from tests.pipelines.test_corpus_mixtures import WEIGHTS
from tests.pipelines.test_mixtures import MIXTURES
from tests.support import learned

SHIPPED = sorted(
    path for path in Path("pipelines/curate").resolve().glob("*.yaml") if path.stem not in {*MIXTURES, *WEIGHTS}
)
NEEDED = {"ccnet": "en.arpa.bin", "dclm": "positives.jsonl", "fineweb_edu": "scores.parquet"}  # that the user gives
PAGES = 40
EXAMPLES = 60


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    make_archives(folder, archives=1, pages=PAGES, hosts=("town.example", "village.example"))
    write_needed(folder)
    return folder


def write_needed(folder: Path) -> None:
    """Examples, scores and models, such as users make: of prose like that of the pages, and of German."""
    rng = random.Random(7)
    english = [prose(rng).replace("<p>", "").replace("</p>", "") for _ in range(EXAMPLES)]
    others = [german(rng, 20) for _ in range(EXAMPLES)]
    (folder / "positives.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in english))
    mixed = [f"{one[:900]} {other[:900]}" for one, other in zip(english, others, strict=True)]
    graded = ((english, 4), (mixed, 2), (others, 0))
    scores = [{"text": text, "score": score} for texts, score in graded for text in texts]
    pq.write_table(pa.Table.from_pylist([*scores, {"text": "unscored", "score": None}]), folder / "scores.parquet")
    for language, texts in {"en": english, "de": others}.items():
        pieces = folder / f"{language}.sp.model"
        text = [pa.array(texts, pa.large_string())]
        pieces.write_bytes(learned(Sentencepiece(vocab_size=400), text))
        model = NgramModel(
            order=3, normalization="ccnet", pieces=str(pieces), language=language, discounts=(0.5, 1, 1.5)
        )
        (folder / f"{language}.arpa.bin").write_bytes(learned(model, text))


def test_what_is_shipped() -> None:
    assert [path.stem for path in SHIPPED] == [
        *("c4", "ccnet", "dclm", "demo", "fineweb", "fineweb_edu", "gopher", "refinedweb", "web")
    ]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_runs_to_its_end(path: Path, crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(crawl)
    curate(parse(path.read_text(), path.name, [f"{crawl}/*.warc.gz"]), str(tmp_path), Inline())
    stages = {stage.name: stage for stage in Run.open(tmp_path).funnel().stages}
    assert stages["extract"].rows == PAGES
    assert 0 < stages["dedup"].kept <= PAGES
    assert (stages["dedup"].kept == stages["dedup"].rows) == (path.stem == "ccnet")  # which cuts lines
    before = [stage for stage in stages.values() if stage.verb.documents][-2]
    assert stages["tokenize"].rows == before.kept > 0


@pytest.mark.parametrize("name", list(NEEDED))
def test_a_recipe_without_what_it_needs_is_refused(
    name: str, crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = next(path for path in SHIPPED if path.stem == name).read_text()
    with pytest.raises(UserError, match=NEEDED[name]):
        curate(parse(text, f"{name}.yaml", [f"{crawl}/*.warc.gz"]), str(tmp_path / "run"), Inline())
    assert not list((tmp_path / "run").glob("[0-9]*"))  # no stage was begun


def test_ccnet_packs_head_middle_and_tail(crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(crawl)
    text = next(path for path in SHIPPED if path.stem == "ccnet").read_text()
    curate(parse(text, "ccnet.yaml", [f"{crawl}/*.warc.gz"]), str(tmp_path), Inline())
    run = Run.open(tmp_path)
    mixture = run.funnel().mixture
    assert mixture is not None
    thirds = {line.source: line.tokens for line in mixture.lines}
    assert set(thirds) == {"web/below_33.3", "web/33.3_to_66.6", "web/from_66.6"}
    last = run.stage("tokenize").to_pandas(["perplexity.perplexity", "quantile_rank.percent"])
    ordered = last.sort_values("perplexity.perplexity")["quantile_rank.percent"]
    assert ordered.is_monotonic_increasing
    assert ordered.iloc[0] < 33.3 < 66.6 < ordered.iloc[-1]


def test_web_with_the_stages_in_its_comments(crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(crawl)
    rng = random.Random(7)
    texts = {"en": [prose(rng) for _ in range(EXAMPLES)], "de": [german(rng, 20) for _ in range(EXAMPLES)]}
    for name in ("lists", "models"):
        (crawl / name).mkdir()
    for language, own in texts.items():
        (crawl / "lists" / f"{language}.txt").write_text("terrible\n")
        model = NgramModel(order=3, language=language, discounts=(0.5, 1, 1.5))
        (crawl / "models" / f"{language}.arpa.bin").write_bytes(learned(model, [pa.array(own, pa.large_string())]))
    text = next(path for path in SHIPPED if path.stem == "web").read_text()
    text = re.sub("^    # (?! *[A-Z])", "    ", text, flags=re.MULTILINE)
    curate(parse(text, "web.yaml", [f"{crawl}/*.warc.gz"]), str(tmp_path), Inline())
    stages = {stage.name: stage for stage in Run.open(tmp_path).funnel().stages}
    assert stages["toxicity"].kept == stages["perplexity"].rows > 0
    assert stages["perplexity"].kept == stages["perplexity"].rows  # which only measures
    assert stages["likely"].never_fired == ("perplexity.perplexity (high)",)  # no document is a hundredth of so few
    assert stages["likely"].kept > 0


def test_dclm_keeps_a_tenth(crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(crawl)
    text = next(path for path in SHIPPED if path.stem == "dclm").read_text()
    curate(parse(text, "dclm.yaml", [f"{crawl}/*.warc.gz"]), str(tmp_path), Inline())
    best = {stage.name: stage for stage in Run.open(tmp_path).funnel().stages}["best"]
    assert 0.1 * best.rows <= best.kept <= 0.1 * best.rows + 1


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_no_recipe_keeps_a_document_whose_windows_score_so_low_that_it_is_read_whole(path: Path) -> None:
    recipe = parse(path.read_text(), path.name)
    stages = [stage for stages in recipe.sources.values() for stage in stages]
    limits = [
        rule.at_least
        for stage in stages
        for _, part in stage.components
        if isinstance(part, Language)
        for rule in part.rules()
        if rule.signal == "score"
    ]
    assert limits
    assert min(limits) >= LOW


def test_gopher_spells_out_the_defaults() -> None:
    """The rule sets' own tests hold their defaults against the paper."""
    text = Path("pipelines/curate/gopher.yaml").read_text()
    recipe = parse(text, "gopher.yaml")
    (stage,) = (stage for stage in recipe.sources["web"] if stage.name == "gopher")
    for _, part in stage.components:
        assert part.rules() == type(part)().rules()
    spelt = {name for _, part in stage.components for name in vars(part) if name.startswith(("min_", "max_"))}
    assert [name for name in sorted(spelt) if f"{name}:" not in text] == ["max_symbols_per_word"]  # of other variants
