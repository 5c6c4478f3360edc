"""The funnel adds up, and says what is odd."""

from itertools import pairwise
from pathlib import Path

import pytest

from curation.account.funnel import funnel
from curation.core.errors import InputError


def test_each_stage_reads_what_the_one_before_kept(finished_run: Path) -> None:
    found = funnel(str(finished_run / "run"))
    documents = [line for line in found.stages if line.rows]
    assert [line.name for line in documents] == ["extract", "language", "gopher", "dedup", "tokenize"]
    assert documents[0].rows == 120
    for one, two in pairwise(documents):
        assert two.rows == one.kept
    for line in documents:
        assert line.rows - line.kept == sum(line.dropped.values())
    assert found.complete


def test_tokens_agree_with_the_packed_shards(finished_run: Path) -> None:
    found = funnel(str(finished_run / "run"))
    assert set(found.tokens) == {"train", "validation"}
    assert sum(found.tokens.values()) == found.stages[-3].tokens > 0
    assert found.stages[-3].name == "tokenize"


def test_a_rule_that_never_fired_is_a_warning(finished_run: Path) -> None:
    gopher = next(line for line in funnel(str(finished_run / "run")).stages if line.name == "gopher")
    assert "gopher_quality.bullet_lines never fired: no document was beyond its limit" in gopher.warnings
    assert not any(warning.startswith("gopher_repetition.duplicate_lines ") for warning in gopher.warnings)


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run"):
        funnel(str(tmp_path))
