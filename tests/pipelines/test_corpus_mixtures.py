"""Recipes of ready corpora: they run from the corpora's layouts to a mix with the shares that are published."""

import json
import random
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.engine.recipe.recipe import Recipe, parse
from curation.sources.corpus import Corpus
from curation.tokens.mix import Mix
from tests.pipelines.test_mixtures import check_shares, english, epochs, mixed, program

PILE = {  # share of the bytes in %, epochs: Gao et al. 2020, table 1
    "pile_cc": (18.11, 1),
    "pubmed_central": (14.40, 2),
    "books3": (12.07, 1.5),
    "openwebtext2": (10.01, 2),
    "arxiv": (8.96, 2),
    "github": (7.59, 1),
    "freelaw": (6.12, 1.5),
    "stackexchange": (5.13, 2),
    "uspto_backgrounds": (3.65, 2),
    "pubmed_abstracts": (3.07, 2),
    "gutenberg": (2.17, 2.5),
    "opensubtitles": (1.55, 1.5),
    "wikipedia": (1.53, 3),
    "dm_mathematics": (1.24, 2),
    "ubuntu_irc": (0.88, 2),
    "bookcorpus2": (0.75, 1.5),
    "europarl": (0.73, 2),
    "hackernews": (0.62, 2),
    "youtube_subtitles": (0.60, 2),
    "philpapers": (0.38, 2),
    "nih_exporter": (0.30, 2),
    "enron_emails": (0.14, 2),
}
WEIGHTS: dict[str, dict[str, float]] = {
    "books_wiki_code_web": {"books": 50, "wiki": 15, "code": 10, "web": 25},
    # 10^9 tokens: Soldaini et al. 2024, table 1
    "dolma_mix": {"web": 2479, "code": 411, "reddit": 89, "papers": 70, "books": 6.0, "wiki": 4.3},
    # %: Shao et al. 2024, section 2.3
    "math": {"web": 56, "algebraic_stack": 4, "arxiv": 10, "code": 20, "general": 10},
    # 10^9 tokens: Weber et al. 2024, section 3
    "redpajama": {
        "common_crawl": 878,
        "c4": 175,
        "github": 59,
        "books": 26,
        "arxiv": 28,
        "wikipedia": 24,
        "stackexchange": 20,
    },
    "the_pile": {name: share for name, (share, _) in PILE.items()},
}
PROGRAMS = ("algebraic_stack", "code", "github")
DOCUMENTS = 12


def shipped(name: str) -> Path:
    return Path(f"pipelines/curate/{name}.yaml")


def mix_of(recipe: Recipe) -> Mix:
    mix = recipe.joined[-1].components[0][1]
    assert isinstance(mix, Mix)
    return mix


def is_parquet(recipe: Recipe, source: str) -> bool:
    part = recipe.sources[source][0].components[0][1]
    return isinstance(part, Corpus) and part.layout.forms == ("parquet",)


def document(source: str, number: int) -> str:
    rng = random.Random(f"{source} {number}")
    if source in PROGRAMS:
        return program(rng)
    return english(rng) + "".join(f"It follows that $x_{{{n}}} = \\frac{{{n}}}{{y^2}}$ holds.\n" for n in range(20))


def write_source(folder: Path, source: str, *, parquet: bool) -> str:
    fields = [{"path": f"src/{number}.py", "url": f"http://{source}.example/{number}"} for number in range(DOCUMENTS)]
    rows = [{"text": document(source, number), **own} for number, own in enumerate(fields)]
    path = folder / f"{source}.{'parquet' if parquet else 'jsonl'}"
    if parquet:
        pq.write_table(pa.Table.from_pylist([{**row, "content": row["text"]} for row in rows]), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"{source}={path}"


@pytest.mark.parametrize("name", list(WEIGHTS))
def test_runs_from_the_corpora_to_the_published_shares(name: str, tmp_path: Path) -> None:
    recipe = parse(shipped(name).read_text(), name)
    inputs = [write_source(tmp_path, source, parquet=is_parquet(recipe, source)) for source in recipe.sources]
    found = mixed(name, inputs, tmp_path / "run", vocabulary=512)
    check_shares(found, "mix", WEIGHTS[name])
    assert found.phases[0]["tokens"] > 0
    allowed = mix_of(recipe).max_epochs
    for source, times in epochs(found).items():
        assert times <= (allowed[source] if isinstance(allowed, dict) else allowed)


@pytest.mark.parametrize("name", list(WEIGHTS))
def test_spells_out_the_published_figures(name: str) -> None:
    recipe = parse(shipped(name).read_text(), name)
    assert mix_of(recipe).weights == WEIGHTS[name]
    assert list(recipe.sources) == list(WEIGHTS[name])


def test_the_pile_has_the_tables_epochs_and_all_of_it() -> None:
    assert mix_of(parse(shipped("the_pile").read_text(), "the_pile")).max_epochs == {
        name: times for name, (_, times) in PILE.items()
    }
    assert sum(share for share, _ in PILE.values()) == pytest.approx(100)


def test_the_sum_of_dolma_is_that_of_its_table() -> None:
    assert sum(WEIGHTS["dolma_mix"].values()) == pytest.approx(3059, abs=0.5)


@pytest.mark.parametrize("name", list(WEIGHTS))
def test_the_stages_in_comments_are_stages(name: str) -> None:
    text, changed = re.subn(r"^  # - ", "  - ", shipped(name).read_text(), flags=re.MULTILINE)
    assert changed == 2
    keys = [key for stage in parse(text, name).joined for key, _ in stage.components]
    assert keys.index("evalsets") + 1 == keys.index("contamination")


def test_the_compositions_in_comments_are_of_the_same_sources() -> None:
    text = shipped("books_wiki_code_web").read_text()
    others = re.findall(r"^ +# (weights: \{.+\})$", text, flags=re.MULTILINE)
    assert len(others) == 4
    for other in others:
        changed = re.sub(r"^( +)weights: \{.+\}$", rf"\g<1>{other}", text, flags=re.MULTILINE)
        weights = mix_of(parse(changed, "books_wiki_code_web")).weights
        assert weights is not None
        assert weights != WEIGHTS["books_wiki_code_web"]
        assert list(weights) == list(WEIGHTS["books_wiki_code_web"])
