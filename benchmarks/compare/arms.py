"""The ways from the same web archives to text that are compared; all keep English only, as `language` knows it.

    visible              all text of each page with menus and footers; nothing is filtered or deduplicated
    raw                  main text by resiliparse; the same
    demo gopher fineweb dclm    the shipped recipes, up to where they fit a tokenizer or a classifier
    fineweb+perplexity   the half of `fineweb` that an n-gram model of clean prose predicts best
    dclm+classifier      the half of `dclm` that a classifier of clean prose against pages scores best
    datatrove            datatrove's own FineWeb pipeline in its environment, without deduplication; a page may take
                         PAGE_SECONDS, so that what is kept does not depend on how busy the machine is

Half, because CCNet's third and DCLM's tenth of so few pages would leave too little text to learn from. The classifier
is fitted twice: the one that scores a half of the archives has learned from pages of the other half, so that none
scores a page that it was shown.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from benchmarks import datatrove as environment
from benchmarks.classifier.halves import archives as archives_of
from benchmarks.compare.texts import archives, write, write_examples, write_visible
from benchmarks.data import texts_in
from benchmarks.pipeline.side_by_side import Datatrove
from curation.engine.driver.runner import curate
from curation.engine.executor.executor import Executor
from curation.engine.executor.on_ray import OnRay
from curation.engine.recipe.recipe import parse
from curation.fit.ngram_model import NgramModel

SHIPPED = Path(__file__).parents[2] / "pipelines" / "curate"
NAMES = ("visible", "raw", "demo", "gopher", "fineweb", "fineweb+perplexity", "dclm", "dclm+classifier", "datatrove")
ENGLISH = {"filter": {"language": {"languages": ["en"], "min_score": 0.65}}}
BETTER_HALF = "p50"
PAGE_SECONDS = 60  # of datatrove; with its 1, a busy machine loses pages


def make(folder: Path, names: Sequence[str], workers: int, python: Path) -> dict[str, str]:
    """Name -> run folder or file of each arm in `names`. What `folder` has already is not made again."""
    examples = write_examples(folder / "examples")
    model = folder / "prose.arpa"
    if not model.exists():
        model.write_bytes(_perplexity_model(examples["prose"]))
    arms = {}
    with OnRay(cpus=workers) as executor:
        for name, sources in _recipes(examples, model).items():
            if name in names:
                arms[name] = str(folder / name)
                _curate(sources, name, arms[name], executor)
    if "visible" in names:
        arms["visible"] = str(folder / "visible.jsonl")
        if not Path(arms["visible"]).exists():
            write_visible(Path(arms["visible"]))
    if "datatrove" in names:
        arms["datatrove"] = str(_datatrove(folder, workers, python))
    return {name: arms[name] for name in names}


def _recipes(examples: Mapping[str, Path], model: Path) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Name -> the chain of each source."""
    paths = [str(path) for path in archives()]
    scored = _best_half("perplexity", {"models": str(model)}, "max_perplexity")
    chains = {
        "raw": [{"extract": {"resiliparse": {}}}, ENGLISH],
        **{name: _shipped(name) for name in ("demo", "gopher", "fineweb", "dclm")},
        "fineweb+perplexity": [*_shipped("fineweb"), *scored],
    }
    recipes = {name: {"web": [_read(paths), *stages]} for name, stages in chains.items()}
    return recipes | {"dclm+classifier": _classified(examples)}


def _read(paths: list[str]) -> dict[str, Any]:
    return {"read": {"warc": {"paths": paths}}}


def _shipped(name: str) -> list[dict[str, Any]]:
    """The stages of a shipped recipe after reading and before its tokenizer, or a classifier of its own."""
    stages: list[dict[str, Any]] = yaml.safe_load((SHIPPED / f"{name}.yaml").read_text())["sources"]["web"]
    end = next(place for place, stage in enumerate(stages) if {"tokenizer", "classifier"} & stage.get("fit", {}).keys())
    return stages[1:end]


def _best_half(key: str, options: Mapping[str, Any], limit: str, source: str = "") -> list[dict[str, Any]]:
    """`source` begins the names of stages, where the recipe has several sources."""
    signal = f"{key}.{limit.partition('_')[2]}"
    return [
        {"filter": {key: dict(options)}, "name": "scored"},
        {"fit": {"quantiles": {"signals": [signal]}}},
        {"filter": {key: {**options, limit: f"@{source}quantiles {BETTER_HALF}"}}, "name": "best"},
    ]


def _classified(examples: Mapping[str, Path]) -> dict[str, list[dict[str, Any]]]:
    """A source per half of the archives, each with a classifier that has learned from the other half's pages."""
    chains = {}
    for half, other in (("first", "second"), ("second", "first")):
        learned_from = {"positives": str(examples["prose"]), "negatives": str(examples[other])}
        paths = [str(path) for path in archives_of(half)]
        steps = [stage for stage in _shipped("dclm") if "dedup" not in stage]
        best = _best_half("quality_classifier", {"model": f"@{half}-classifier"}, "min_score", f"{half}-")
        chains[half] = [_read(paths), *steps, {"fit": {"classifier": learned_from}}, *best]
    return chains


def _curate(sources: dict[str, list[dict[str, Any]]], name: str, output: str, executor: Executor) -> None:
    recipe: dict[str, Any] = {"version": 1, "name": name, "shards": {"group_mb": 0}, "sources": sources}
    if len(sources) > 1:
        recipe["joined"] = [{"dedup": {"exact": {}}}]
    curate(parse(yaml.safe_dump(recipe, sort_keys=False), name), output, executor, lambda _: None)


def _perplexity_model(prose: Path) -> bytes:
    fit = NgramModel(normalization="ccnet", language="en")
    batch = pa.RecordBatch.from_pydict({"text": texts_in([prose])})
    return fit.finish([fit.merge(fit.count(iter([batch])))])[fit.asset]


def _datatrove(folder: Path, workers: int, python: Path) -> Path:
    """JSON lines of what datatrove's pipeline keeps."""
    kept = folder / "datatrove.jsonl"
    if not kept.exists():
        links = folder / "archives"
        scratch = folder / "datatrove"
        links.mkdir(exist_ok=True)
        scratch.mkdir(exist_ok=True)
        for path in archives():
            if not (links / path.name).exists():
                (links / path.name).symlink_to(path)
        datatrove = Datatrove(environment.required(python), scratch, workers, "spacy", PAGE_SECONDS)
        datatrove.write_lists()
        datatrove.run(links)
        files = sorted(scratch.glob("datatrove-*/kept/*.gz"))
        lines = [line for file in files for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
        write(kept, [json.loads(line)["text"] for line in lines])
    return kept
