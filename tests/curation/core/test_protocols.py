"""Every component that the catalog finds has the shape that its verb's room asks for, states a version, and pickles."""

import dataclasses
import pickle
from typing import Any

import pytest

from curation.core import catalog, dedup_methods, fits, protocols
from curation.core.filter import Filter
from curation.core.verbs import DEDUP, EXTRACT, FILTER, FIT, READ, REWRITE, Verb
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from curation.models.evalsets.sets import EvalSet

SHAPES: dict[Verb, type] = {
    READ: protocols.Source,
    EXTRACT: protocols.Extractor,
    FILTER: Filter,
    REWRITE: protocols.Rewriter,
    DEDUP: dedup_methods.DedupMethod,
    FIT: fits.Fit,
}
# What a component cannot do without, where it has options without a default; by key, or by verb and key.
REQUIRED: dict[str, dict[str, Any]] = {
    "corpus": {"name": "dolma"},
    "gutenberg": {"catalogue": "pg_catalog.csv"},
    "language": {"languages": ("en",)},
    "perplexity": {"models": "en.arpa"},
    "quality_classifier": {"model": "classifier.bin"},
    "classifier": {"positives": "good.jsonl", "negatives": "bad.jsonl"},
    "filter-dsir": {"model": "dsir.bin"},
    "fit-dsir": {"target": "target.jsonl"},
    "transformer_classifier": {"model": "model"},
    "unigram_divergence": {"reference": "unigrams.bin"},
    "cut_spans": {"of": ("line",)},
    "containment": {"of": "substring"},
    "semantic": {"centroids": "centroids.npy", "model": "words.vec"},
    "kmeans": {"model": "words.vec"},
    "quantiles": {"signals": ("gopher_quality.words",)},
    "quantile_rank": {"quantiles": "quantiles.json", "signal": "gopher_quality.words"},
    "contamination": {"evalsets": "evalsets"},
    "evalsets": {"sets": {"own": EvalSet(files="own.jsonl")}},
    "learnt": {"model": "extractor.bin"},
    "opt_outs": {"honour": ("noai",)},
    "site_preferences": {"files": "robotstxt/*.warc.gz"},
    "cascade": {"first": {"resiliparse": Resiliparse()}, "judge": {}, "then": {"trafilatura": Trafilatura()}},
    "extractor": {"teacher": {"trafilatura": Trafilatura()}},
}
COMPONENTS = [pytest.param(verb, key, id=f"{verb}-{key}") for verb in SHAPES for key in catalog.known(verb)]


def made(verb: Verb, key: str) -> Any:
    options = REQUIRED.get(f"{verb}-{key}", REQUIRED.get(key, {}))
    paths = {"paths": ("x",)} if verb is READ else {}
    return catalog.find(verb, key)(**paths, **options)


@pytest.mark.parametrize(("verb", "key"), COMPONENTS)
def test_a_component_has_the_shape_of_its_room(verb: Verb, key: str) -> None:
    component = made(verb, key)
    assert isinstance(component, SHAPES[verb])
    assert isinstance(component.version, int)
    assert component.version >= 1
    assert dataclasses.is_dataclass(component)
    with pytest.raises(dataclasses.FrozenInstanceError):
        component.version = 2
    assert pickle.loads(pickle.dumps(component)) == component
