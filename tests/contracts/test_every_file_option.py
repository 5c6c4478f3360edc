"""Every option that names a file has a fuzz target: a kind of file that is added later cannot be forgotten."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import fields

import pytest

from curation.core import catalog, verbs
from curation.core.component import Component
from curation.core.verbs import Verb
from tests.fuzz.child import targets_of

VERBS = [verb for verb in vars(verbs).values() if isinstance(verb, Verb)]
FASTTEXT = (
    "models.fasttext_plain",
    "models.fasttext_compressed",
    "model_files.fasttext_tree",
    "model_files.fasttext_of_words",
)
CLASSIFIER = ("model_files.logistic", "model_files.fasttext_with_metadata", *FASTTEXT)
VECTORS = ("models.word_vectors", "model_files.word_vectors")
EVALSETS = ("models.evalsets", "model_files.evalsets")
FUZZED = {
    "arxiv.metadata": ("list_files.arxiv_json",),
    "bloom.against": ("model_files.bloom_manifest", "model_files.bloom_partition"),
    "c4_quality.bad_words": ("list_files.words_txt",),
    "contamination.evalsets": EVALSETS,
    "contamination.model": VECTORS,
    "dialogue.bots": ("list_files.bots_txt",),
    "dsir.model": ("models.dsir",),
    "encode.tokenizer": ("list_files.bpe_json", "list_files.unigram_json", "list_files.pieces_model"),
    "extractor.truth": ("list_files.truth_jsonl",),
    "gutenberg.catalogue": ("list_files.catalogue_csv",),
    "kmeans.model": VECTORS,
    "language.model": FASTTEXT,
    "learnt.model": ("model_files.extractor",),
    "ngram_model.pieces": ("list_files.pieces_model",),
    "opt_outs.domain_list": ("list_files.opted_domains",),
    "opt_outs.rsl_files": ("list_files.terms_xml",),
    "opt_outs.site_preferences": ("list_files.site_parquet",),
    "perplexity.models": ("models.arpa",),
    "perplexity.pieces": ("list_files.pieces_model",),
    "pii.names": ("list_files.classifier_folder",),
    "quality_classifier.model": CLASSIFIER,
    "quantile_rank.quantiles": ("models.quantile_table",),
    "secrets.rules": ("list_files.rules_toml",),
    "semantic.centroids": ("model_files.centroids",),
    "semantic.model": VECTORS,
    "toxicity.classifier": FASTTEXT,
    "toxicity.term_lists": ("list_files.terms_txt",),
    "transformer_classifier.model": ("list_files.classifier_folder",),
    "unigram_divergence.reference": ("models.word_counts",),
    "url_blocklist.lists": ("list_files.mine_domains",),
    "url_blocklist.public_suffixes": ("list_files.suffixes_dat",),
}


def named_files() -> Iterator[str]:
    """`key.option` of each option that `assets` of a component of the catalog names as a file."""
    for verb in VERBS:
        for key in catalog.known(verb):
            component = catalog.find(verb, key)
            if component.assets is not Component.assets:
                yield from (f"{key}.{option}" for option in _options(component))


def _options(component: type[Component]) -> set[str]:
    """The options whose names stand in the source of `assets`."""
    source = ast.parse(textwrap.dedent(inspect.getsource(component.assets)))
    texts = {node.value for node in ast.walk(source) if isinstance(node, ast.Constant)}
    return {field.name for field in fields(component)} & texts


def test_each_option_that_names_a_file_is_fuzzed() -> None:
    assert sorted(set(named_files())) == sorted(FUZZED)


@pytest.mark.parametrize("option", FUZZED)
def test_its_targets_are_there(option: str) -> None:
    for target in FUZZED[option]:
        assert target in targets_of(target.partition(".")[0])
