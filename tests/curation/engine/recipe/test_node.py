"""A node's components are those of its stage and, at the beginning of a source, of its extractor."""

from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.extract.resiliparse import Resiliparse
from curation.sources.warc import Warc

RECIPE = """
version: 1
sources:
  web:
    - read: {warc: {paths: [a.warc.gz]}}
    - extract: {resiliparse: {}}
    - filter: {gopher_quality: {}}
"""


def test_components() -> None:
    first, judge = build_plan(parse(RECIPE, "m.yaml"))
    assert first.components == (("warc", Warc(paths=("a.warc.gz",))), ("resiliparse", Resiliparse()))
    assert [key for key, _ in judge.components] == ["gopher_quality"]
