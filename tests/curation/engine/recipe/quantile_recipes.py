"""A recipe with a limit that is a quantile."""

from pathlib import Path

from tests.curation.engine.inputs import write_sources

STAGES = """  - filter: {gopher_quality: {}}
    name: measured
  - fit: {quantiles: {signals: [gopher_quality.mean_word_length]}}
  - filter: {gopher_quality: {max_mean_word_length: "@quantiles p50"}}
    name: short
  - filter: {gopher_repetition: {}}
"""


def recipe_of(folder: Path, stages: str) -> str:
    recipe = write_sources(folder).replace("    - filter: {gopher_quality: {}}\n", "")
    return recipe.partition("  - fit:")[0] + stages
