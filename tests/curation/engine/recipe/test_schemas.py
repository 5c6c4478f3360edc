"""What a stage's rows and its files have, from what its components declare."""

import pytest

from curation.core.document import DOCUMENT, holds_all
from curation.core.verbs import DEDUP, FILTER, REWRITE
from curation.dedup.exact import Exact
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.engine.recipe.schemas import after, written
from curation.filters.refinedweb_quality import RefinedwebQuality
from curation.rewrite.unicode import Unicode

HEAD = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
"""


@pytest.mark.parametrize(
    ("stage", "last", "own"),
    [
        ("filter: {gopher_quality: {}}", False, ["doc_id", "url", "source", "text?", "gopher_quality", "drop_reason"]),
        ("rewrite: {unicode: {}}", False, ["doc_id", "url", "source", "text", "unicode", "drop_reason"]),
        ("dedup: exact", False, ["doc_id", "url", "source", "text?", "exact", "drop_reason"]),
        ("dedup: exact", True, None),
    ],
)
def test_columns_of_a_stages_own_files(stage: str, last: bool, own: list[str] | None) -> None:
    """ "text?": of dropped rows only."""
    read, node = build_plan(parse(HEAD + f"    - {stage}\n", "m"))
    assert read.schema is not None
    assert node.schema is not None
    found = written(node.stage, read.schema, node.schema, last=last)
    assert [field.name if holds_all(field) else f"{field.name}?" for field in found] == (own or node.schema.names)


def test_what_was_measured_before_stays_where_it_is() -> None:
    judge = (("refinedweb_quality", RefinedwebQuality()),)
    before = after(REWRITE, (("unicode", Unicode()),), after(FILTER, judge, DOCUMENT))
    assert after(FILTER, judge, before) == before


def test_a_later_dedup_replaces_its_column() -> None:
    once = after(DEDUP, (("exact", Exact()),), DOCUMENT)
    assert once.names == [*DOCUMENT.names[:-1], "exact", "drop_reason"]
    later = after(DEDUP, (("exact", Exact()),), after(REWRITE, (("unicode", Unicode()),), once))
    assert later.names == [*DOCUMENT.names[:-1], "unicode", "exact", "drop_reason"]
