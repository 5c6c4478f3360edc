"""Recipes of published mixtures: the tokens that training would see have the shares that the papers give."""

import json
import random
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from curation.account.mixture import MixLine, Mixture
from curation.account.run import Run
from curation.engine.driver.runner import curate
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.crawl import prose
from tests.curation.account.corpus import german
from tests.support import SHARED, needs_shared_data

LLAMA3 = {"general": 50, "maths": 25, "code": 17, "multilingual": 8}  # %, Grattafiori et al. 2024, section 3.1.2
LLAMA = {  # share of the tokens in %, epochs: Touvron et al. 2023, table 1
    "common_crawl": (67, 1.10),
    "c4": (15, 1.06),
    "github": (4.5, 0.64),
    "wikipedia": (4.5, 2.45),
    "books": (4.5, 2.23),
    "arxiv": (2.5, 1.06),
    "stackexchange": (2, 1.03),
}
MIXTURES = {"llama3_mix": list(LLAMA3), "llama_mix": list(LLAMA)}
ANNEALED = {"general": 35, "maths": 35.5, "code": 23.9, "multilingual": 5.6}
SHARED_FILES = {
    "general": ["text/books.jsonl.gz", "text/encyclopedia.jsonl.gz", "text/speeches.jsonl.gz", "text/qa.jsonl.gz"],
    "maths": ["text/latex.jsonl.gz"],
    "multilingual": ["text/books_other_languages.jsonl.gz"],
    "code": ["code/code.jsonl.gz"],
    "common_crawl": ["text/docs.jsonl.zst"],
    "c4": ["text/speeches.jsonl.gz"],
    "github": ["code/code.jsonl.gz"],
    "wikipedia": ["text/encyclopedia.jsonl.gz"],
    "books": ["text/books.jsonl.gz"],
    "arxiv": ["text/latex.jsonl.gz"],
    "stackexchange": ["text/qa.jsonl.gz"],
}


def english(rng: random.Random) -> str:
    return prose(rng, 40).replace("<p>", "").replace("</p>", "\n")


def program(rng: random.Random) -> str:
    """Functions of other names and numbers each time."""
    names = [f"{rng.choice('abcdefgh')}{rng.randrange(10_000)}" for _ in range(60)]
    return "\n".join(
        f"def {name}(width, height):\n    return width * height + {rng.randrange(9999)}\n" for name in names
    )


def write_source(folder: Path, name: str, documents: int) -> str:
    """The documents of one source as JSON lines; every fifth of other languages says it is Frisian."""
    make: Callable[[random.Random], str] = {"code": program, "github": program}.get(name, english)
    rows = []
    for number in range(documents):
        rng = random.Random(f"{name} {number}")
        text = german(rng, 60) if name == "multilingual" else make(rng)
        rows.append({"text": text, "path": f"src/{number}.py", "lang": "fy" if number % 5 == 4 else "de"})
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"{name}={path}"


def mixed(recipe: str, inputs: list[str], output: Path, *, vocabulary: int | None = None) -> Mixture:
    """What the shipped recipe's run into `output` gives training to see, with another size of vocabulary if stated."""
    text = Path(f"pipelines/curate/{recipe}.yaml").read_text()
    if vocabulary:
        text, changed = re.subn(r"vocab_size: [\d_]+", f"vocab_size: {vocabulary}", text)
        assert changed == 1
    curate(parse(text, f"{recipe}.yaml", inputs), str(output), Inline())
    found = Run.open(output).funnel().mixture
    assert found is not None
    return found


def by_source(lines: list[MixLine]) -> dict[str, list[MixLine]]:
    """Lines by recipe source: of a source that was split, all of its sub-sources."""
    ordered = sorted(lines, key=lambda line: line.source)
    return {name: list(own) for name, own in groupby(ordered, key=lambda line: line.source.partition("/")[0])}


def check_shares(found: Mixture, phase: str, weights: dict[str, float]) -> None:
    """Each source has its share of the phase's tokens to 0.1 % of them, or to one row where that is more.

    A source that is seen as often as allowed may lack a row in the last phase, which the others then give.
    """
    (whole,) = (one for one in found.phases if one["name"] == phase)
    lines = [line for line in found.lines if line.phase == phase]
    assert sum(line.tokens for line in lines) == whole["tokens"]
    assert not whole["short"]
    for line in lines:
        assert abs(line.tokens - line.target_tokens) <= max(0.001 * whole["target_tokens"], found.row_tokens - 1)
    shares = {name: sum(line.weight for line in own) for name, own in by_source(lines).items()}
    assert shares == pytest.approx({name: weight / sum(weights.values()) for name, weight in weights.items()})
    targets = {name: sum(line.target_tokens for line in own) for name, own in by_source(lines).items()}
    for name, share in shares.items():
        assert abs(targets[name] - share * whole["target_tokens"]) < found.row_tokens


def check_llama3(found: Mixture) -> None:
    assert [phase["name"] for phase in found.phases] == ["main", "anneal"]
    main, anneal = found.phases
    assert (
        abs(anneal["target_tokens"] - main["target_tokens"] / 9) < found.row_tokens
    )  # 0.1 of 1, with main's remainder
    check_shares(found, "main", dict(LLAMA3))
    check_shares(found, "anneal", ANNEALED)
    assert max(epochs(found).values()) <= 4


def epochs(found: Mixture) -> dict[str, float]:
    """How often the rows of each leaf are seen over all phases."""
    return {
        source: sum(line.epochs for line in found.lines if line.source == source)
        for source in dict.fromkeys(line.source for line in found.lines)
    }


def check_llama(found: Mixture) -> None:
    check_shares(found, "mix", {name: share for name, (share, _) in LLAMA.items()})
    for source, times in epochs(found).items():
        assert times <= LLAMA[source][1]


def test_llama3(tmp_path: Path) -> None:
    documents = {"general": 60, "maths": 40, "code": 40, "multilingual": 30}
    inputs = [write_source(tmp_path, name, count) for name, count in documents.items()]
    found = mixed("llama3_mix", inputs, tmp_path / "run")
    check_llama3(found)
    assert [line.source for line in found.lines if line.phase == "main"] == [
        *("code/none", "general/none", "maths/none", "multilingual/de", "multilingual/fy")
    ]


def test_languages_share_by_size_to_the_power_of_0_3(tmp_path: Path) -> None:
    inputs = [write_source(tmp_path, name, 30) for name in LLAMA3]
    found = mixed("llama3_mix", inputs, tmp_path / "run")
    weight = {line.source: line.weight for line in found.lines if line.phase == "main"}
    many = weight["multilingual/de"]
    few = weight["multilingual/fy"]
    index = json.loads(next((tmp_path / "run").glob("*-mix-*/index.json")).read_text())
    tokens = {line["source"]: line["available_tokens"] for line in index["report"]}
    ratio = tokens["multilingual/de"] / tokens["multilingual/fy"]
    assert ratio > 3
    assert many / few == pytest.approx(ratio ** (1 / 3.3))


def test_llama(tmp_path: Path) -> None:
    inputs = [write_source(tmp_path, name, 40) for name in LLAMA]
    found = mixed("llama_mix", inputs, tmp_path / "run")
    check_llama(found)
    nearest = max(epochs(found), key=lambda source: epochs(found)[source] / LLAMA[source][1])
    assert nearest == "common_crawl"


def test_the_recipes_spell_out_the_papers_figures() -> None:
    llama3, llama = (parse(Path(f"pipelines/curate/{name}.yaml").read_text(), name) for name in MIXTURES)
    mix3, mix = (recipe.joined[-1].components[0][1] for recipe in (llama3, llama))
    assert mix3.weights == LLAMA3
    assert mix3.phases[-1].weights == ANNEALED
    assert (
        pytest.approx({name: 0.7 * share + {"maths": 18, "code": 12}.get(name, 0) for name, share in LLAMA3.items()})
        == ANNEALED
    )
    assert mix.weights == {name: share for name, (share, _) in LLAMA.items()}
    assert mix.max_epochs == {name: times for name, (_, times) in LLAMA.items()}
    assert {name: list(recipe.sources) for name, recipe in zip(MIXTURES, (llama3, llama), strict=True)} == MIXTURES


@needs_shared_data
@pytest.mark.parametrize(
    ("recipe", "check"),
    [
        pytest.param("llama3_mix", check_llama3, marks=pytest.mark.soak),
        pytest.param("llama_mix", check_llama, marks=pytest.mark.soak),  # no phases, no sub-sources
    ],
)
def test_on_real_files(recipe: str, check: Callable[[Mixture], None], tmp_path: Path) -> None:
    inputs = [f"{source}={SHARED / file}" for source in MIXTURES[recipe] for file in SHARED_FILES[source]]
    found = mixed(recipe, inputs, tmp_path / "run", vocabulary=4096)  # to learn the recipe's own takes a minute
    check(found)
    for line in found.lines:
        print(f"{line.phase:8} {line.source:24} {line.target_tokens:14,.0f} {line.tokens:12,} {line.epochs:8.3f}")
