"""Sealing refuses a stage whose counts do not add up, and states the limits and versions that it ran with."""

from dataclasses import replace
from math import inf
from typing import Any

import pytest

from curation.core.commits import Commit, Part
from curation.core.errors import StageError
from curation.core.shard_files import ShardFiles
from curation.engine.driver import seal
from curation.engine.executor.inline import Inline
from curation.engine.recipe.address import Address
from curation.engine.recipe.plan import Node, build_plan
from curation.engine.recipe.recipe import parse
from curation.engine.run import guards
from curation.engine.run.context import Context, Outcome

TEXT = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {gopher_quality: {min_words: 7}, gopher_repetition: {}}
      expect_kept: [0.2, 0.6]
      max_errors: 0.25
"""
ADDRESS = Address("ab" * 32, {"format": 1})


def context(rows_before: int) -> Context:
    read, node = build_plan(parse(TEXT, "m"))
    before = seal.manifest(_context(read, ()), outcome(rows_before), 1.0)
    return _context(node, (ShardFiles("folder", before),))


def _context(node: Node, upstream: tuple[ShardFiles, ...]) -> Context:
    return Context(node, "folder", ADDRESS, upstream, {}, 1, Inline())


def outcome(kept: int, **dropped: int) -> Outcome:
    reasons = {key.replace("__", "."): count for key, count in dropped.items()}
    part = Part("part-00000.parquet", "docs", 1, kept + sum(dropped.values()), kept, dropped=reasons)
    return Outcome((Commit(0, (part,)),))


def test_a_manifest_states_limits_in_the_order_in_which_they_are_tried() -> None:
    sealed = seal.manifest(context(3), outcome(3), 2.5)
    assert sealed.limits[0] == {"rule": "gopher_quality.words", "at_least": 7, "at_most": 100_000}
    assert {limit["rule"].split(".")[0] for limit in sealed.limits} == {"gopher_quality", "gopher_repetition"}
    assert not any(bound in (inf, -inf) for limit in sealed.limits for bound in limit.values())
    assert sealed.guards == {"expect_kept": [0.2, 0.6], "max_errors": 0.25}
    assert {"python", "ray", "pyarrow", "winnow-corpus"} <= set(sealed.versions)
    assert (sealed.address, sealed.number, sealed.wall_seconds) == ("ab" * 32, 2, 2.5)


@pytest.mark.parametrize(
    ("given", "message"), [(4, "read 4 rows, lost 0, wrote 3"), (2, "read 2 rows, lost 0, wrote 3")]
)
def test_rows_in_are_rows_out(given: int, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        seal.manifest(context(given), outcome(3), 0.0)


def test_a_row_without_a_fate_is_refused() -> None:
    (commit,) = outcome(3, a__b=1).commits
    lost = replace(commit, parts=(replace(commit.parts[0], dropped={}),))
    with pytest.raises(AssertionError, match="4 rows, 3 kept, 0 dropped with a reason"):
        seal.manifest(context(4), Outcome((lost,)), 0.0)


def test_tokens_packed_are_tokens_read() -> None:
    given = context(3)
    tokens: dict[str, Any] = {"parts": [{"tokens": 5}]}
    with pytest.raises(AssertionError, match="read 0 tokens, packed 5"):
        seal.manifest(given, replace(outcome(3), tokens=tokens), 0.0)


@pytest.mark.parametrize(("errors", "fails"), [(0, False), (2, False), (3, True)])
def test_max_errors(errors: int, fails: bool) -> None:
    given = context(8)
    sealed = seal.manifest(given, outcome(8 - errors, error__exact__KeyError=errors) if errors else outcome(8), 0.0)
    if fails:
        with pytest.raises(StageError, match=r"failed on 3 of 8 documents \(3 error.exact.KeyError\).*max_errors 0.25"):
            guards.check_errors(given.node, sealed)
    else:
        guards.check_errors(given.node, sealed)


@pytest.mark.parametrize(("kept", "fails"), [(1, True), (2, False), (6, False), (7, True)])
def test_expect_kept(kept: int, fails: bool) -> None:
    given = context(10)
    sealed = seal.manifest(given, outcome(kept, a__b=10 - kept), 0.0)
    if fails:
        with pytest.raises(StageError, match=r"outside expect_kept \[0.2, 0.6\]"):
            guards.check_guards(given.node, sealed)
    else:
        guards.check_guards(given.node, sealed)
