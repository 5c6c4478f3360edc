"""The filters, rewriters and dedup methods that a sweep runs: with defaults, and with options that make them slow."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from curation.core import catalog
from curation.core.dedup_methods import Verifies
from curation.core.verbs import DEDUP, FILTER, REWRITE
from curation.models.pii.kinds import all_kinds
from tests.contracts import test_every_dedup_method, test_every_filter, test_every_rewriter

# Beside the defaults and all variants: "filter.key (what is different)" -> options.
SLOW: Mapping[str, Mapping[str, Any]] = {
    "rewrite.pii (all kinds)": {"of": all_kinds()},
    "rewrite.pii (all kinds, Presidio's)": {"of": all_kinds(), "variant": "presidio"},
    "rewrite.pii (Presidio's)": {"variant": "presidio"},
    "rewrite.pii (Spanish)": {"language": "es"},
    "rewrite.pii (German)": {"language": "de"},
    "rewrite.unicode (NFKC, straight)": {"form": "NFKC", "straight_punctuation": True},
    "rewrite.unicode (NFD)": {"form": "NFD"},
    "dedup.substring (16 bytes)": {"min_bytes": 16},
    "dedup.line (1 character)": {"min_characters": 1},
    "dedup.paragraph (1 character)": {"min_characters": 1},
}
# Filters that learn from files, which take seconds to make.
NEED_FILES = (
    *("contamination", "dsir", "perplexity", "quality_classifier", "quantile_rank", "transformer_classifier"),
    "unigram_divergence",
)


def names() -> list[str]:
    """Of all components, such as "filter.c4_quality (paper)"."""
    found = []
    for verb, module in ((FILTER, test_every_filter), (REWRITE, test_every_rewriter)):
        for key in catalog.known(verb):
            found += [f"{verb.name}.{key} ({one})" if one else f"{verb.name}.{key}" for one in module.variants(key)]
    return [*found, *(f"{DEDUP.name}.{key}" for key in catalog.known(DEDUP)), *SLOW]


class Swept:
    """A component that can be run on one text; `folder` is for the small models of those that need some."""

    def __init__(self, name: str, folder: Path) -> None:
        verb, _, rest = name.partition(".")
        key, _, variant = rest.rstrip(")").partition(" (")
        options = SLOW.get(name) or ({"variant": variant} if variant else {})
        self._run = _RUNS[verb](key, options, folder)

    def run(self, content: bytes) -> None:
        """The component on one document with this text."""
        self._run(content)


def _filter(key: str, options: Mapping[str, Any], folder: Path) -> Callable[[bytes], object]:
    if key in NEED_FILES:
        test_every_filter.make_assets(folder)
    made: Any = catalog.find(FILTER, key)(**test_every_filter.OPTIONS.get(key, {}), **options)
    return lambda content: made.measure(test_every_filter.with_bytes(made.reads, content))


def _rewriter(key: str, options: Mapping[str, Any], _: Path) -> Callable[[bytes], object]:
    made: Any = catalog.find(REWRITE, key)(**test_every_rewriter.OPTIONS.get(key, {}), **options)
    return lambda content: made.rewrite(test_every_rewriter.given_to(made, _batch(content)))


def _method(key: str, options: Mapping[str, Any], folder: Path) -> Callable[[bytes], object]:
    test_every_dedup_method.make_assets(folder)
    made: Any = catalog.find(DEDUP, key)(**test_every_dedup_method.OPTIONS.get(key, {}), **options)

    def run(content: bytes) -> None:
        batch = _batch(content)
        test_every_dedup_method.last_keys(made, batch, batch)
        if isinstance(made, Verifies) and made.evidence_type() is not None:
            evidence = made.evidence(batch)
            made.agree(evidence, evidence)

    return run


def _batch(content: bytes) -> pa.RecordBatch:
    text = pa.array([content], pa.large_binary()).view(pa.large_string())
    url = pa.array([content[:2000].decode(errors="replace")])
    return pa.record_batch({"text": text, "url": url})


_RUNS = {"filter": _filter, "rewrite": _rewriter, "dedup": _method}
