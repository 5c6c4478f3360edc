"""A run killed while fits measure, draw, count, merge and learn ends with the same bytes and no files of these."""

import json
import random
from pathlib import Path

import pytest

from tests.crawl import make_archives
from tests.curation.models.classifier import examples
from tests.end_to_end.test_kill import killed
from tests.runs import data_hashes, winnow

RECIPE = """
version: 1
name: fits
shards: {group_mb: 0}
sources:
  web:
    - read: {warc: {paths: ["%s/*.warc.gz"]}}
    - extract: {resiliparse: {}}
    - filter: {gopher_quality: {}}
    - fit: {unigrams: {}}
    - fit: {quantiles: {signals: [gopher_quality.mean_word_length]}}
    - filter: {gopher_quality: {max_mean_word_length: "@quantiles p80"}, unigram_divergence: {reference: "@unigrams"}}
      name: short
    - fit: {ngram_model: {order: 3, discounts: [0.5, 1, 1.5]}}
    - fit: {classifier: {positives: "%s", negatives: {}, buckets: 4096}}
    - filter: {perplexity: {models: "@ngram_model", max_perplexity: 1000}, quality_classifier: {model: "@classifier"}}
      name: quality
    - fit: {tokenizer: {vocab_size: 400, sample_by: declared_language, sample_bytes: 40000}}
    - tokenize: {tokenizer: "@tokenizer"}
"""
MOMENTS = [
    "*-unigrams-*/_counted/*.arrow",
    "*-unigrams-*/_merged/*.arrow",
    "*-quantiles-*/_drawn/*.arrow",
    "*-quantiles-*/quantiles.json",
    "*-short-*/part-*",
    "*-ngram_model-*/_merged/*.arrow",
    "*-classifier-*/_drawn/*.arrow",
    "*-quality-*/part-*",
    "*-tokenizer-*/_sizes/group-*",
    "*-tokenizer-*/_drawn/*.arrow",
    "*-tokenizer-*/tokenizer.json",
]
PASSING = ("_sizes", "_drawn", "_counted", "_merged", "_ranges")


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param(MOMENTS[1::6], id="some", marks=pytest.mark.soak),
        pytest.param(MOMENTS, id="all", marks=pytest.mark.soak),
    ],
)
@pytest.mark.timeout(1200)
def test_the_driver_killed_at_each_step_of_a_fit(tmp_path: Path, moments: list[str]) -> None:
    make_archives(tmp_path / "crawl", archives=3, pages=40)
    recipe = tmp_path / "fits.yaml"
    good = tmp_path / "good.jsonl"
    good.write_text("".join(json.dumps({"text": text}) + "\n" for text in examples.texts(examples.GOOD, 120)))
    recipe.write_text(RECIPE % (tmp_path / "crawl", good))
    whole = winnow("curate", recipe, "--output", tmp_path / "whole", "--cpus", "2")
    assert whole.returncode == 0, whole.stderr
    expected = data_hashes(tmp_path / "whole")
    assert {Path(name).name for name in expected} >= {
        "unigrams.bin",
        "quantiles.json",
        "tokenizer.json",
        "model.arpa",
        "model.bin",
    }
    output = tmp_path / "run"
    kills = killed(recipe, output, moments, random.Random(3))
    done = winnow("curate", recipe, "--output", output, "--cpus", "2")
    assert done.returncode == 0, done.stderr
    assert kills >= len(moments) - 2  # a step may be over before it is seen
    assert data_hashes(output) == expected
    assert [path.name for path in output.glob("*/*") if path.name.startswith(PASSING)] == []
    verified = winnow("verify", output, "--deep")
    assert verified.returncode == 0, verified.stdout + verified.stderr
