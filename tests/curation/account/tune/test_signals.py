"""Verdicts from stored signals, limits that rows are beyond, and the bytes that rows are said to have."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from curation.account.tune.limits import rules_of
from curation.account.tune.signals import (
    beyond,
    columns_for,
    has_language,
    text_bytes,
    verdicts,
)
from curation.core.errors import InputError
from curation.filters.gopher_quality import GopherQuality
from curation.filters.language import Language
from tests.curation.account.corpus import curate

SETS = {"language": Language(languages=("en",)), "other": Language(min_score=0.5)}


def table(
    reasons: list[str | None], labels: list[str | None], scores: list[float | None], others: list[float | None]
) -> pa.Table:
    struct = pa.struct([("label", pa.string()), ("score", pa.float64())])
    pairs = [{"label": label, "score": score} for label, score in zip(labels, scores, strict=True)]
    other = [{"label": None, "score": score} for score in others]
    columns = {"drop_reason": pa.array(reasons, pa.string()), "language": pa.array(pairs, struct)}
    return pa.table({**columns, "other": pa.array(other, struct)})


def test_the_first_limit_broken_gives_the_reason() -> None:
    rows = table([None] * 4, ["en", "de", "en", "de"], [0.65, 0.9, 0.6, 0.1], [0.5, 0.5, 0.4, 0.4])
    assert verdicts(SETS, rows).to_pylist() == [
        None,
        "language.label:not_in",
        "language.score:low",
        "language.label:not_in",
    ]


def test_a_failed_rule_set_keeps_its_error_in_its_turn() -> None:
    failed: list[str | None] = ["error.other.ValueError", "error.other.ValueError", "error.language.KeyError"]
    rows = table(failed, ["en", "de", None], [0.9, 0.9, None], [None, None, 0.9])
    assert verdicts(SETS, rows).to_pylist() == [
        "error.other.ValueError",
        "language.label:not_in",
        "error.language.KeyError",
    ]


def test_beyond_counts_every_limit() -> None:
    rows = table([None] * 3, ["de", "en", None], [0.1, 0.9, None], [0.9, 0.9, 0.1])
    found = {limit: mask.tolist() for limit, mask in beyond(rules_of(SETS), rows).items()}
    assert found == {
        "language.label:unmeasured": [False, False, True],
        "language.label:not_in": [True, False, False],
        "language.score:unmeasured": [False, False, True],
        "language.score:low": [True, False, False],
        "other.score:unmeasured": [False, False, False],
        "other.score:low": [False, False, True],
    }


@pytest.mark.parametrize(
    ("stage", "precision"), [("language", None), ("gopher", 0.15)], ids=["by the mean", "by words"]
)
def test_bytes_add_up_to_the_manifest_s(corpus: Path, stage: str, precision: float | None) -> None:
    run = curate(corpus, score=0.93)
    columns = columns_for(run.stage(stage).schema, {})
    for shard in run.stage(stage).shards:
        part = shard.part
        rows = shard.read(columns)
        assert "text" not in rows.column_names
        sizes = text_bytes(part, rows)
        kept = np.asarray(rows["drop_reason"].is_null())
        assert sizes[kept].sum() == pytest.approx(part.kept_text_bytes)
        assert sizes.sum() == pytest.approx(part.text_bytes)
        if precision:
            exact = pc.binary_length(shard.read(["text"])["text"]).to_numpy()
            assert np.abs(sizes / exact - 1).max() < precision


def test_only_what_was_measured() -> None:
    schema = pa.schema([("gopher_quality", pa.struct([("words", pa.int64())])), ("drop_reason", pa.string())])
    with pytest.raises(InputError, match="mean_word_length was not measured in this run"):
        columns_for(schema, {"gopher_quality": GopherQuality()})


def test_limits_by_language_need_languages() -> None:
    signals = GopherQuality().measure(pa.record_batch({"text": pa.array([], pa.large_string())}))
    struct = pa.struct([(name, values.type) for name, values in signals.items()])
    schema = pa.schema([("gopher_quality", struct), ("drop_reason", pa.string())])
    assert not has_language(schema)
    assert "gopher_quality.words" in columns_for(schema, {"gopher_quality": GopherQuality()})
    with pytest.raises(InputError, match="need the column 'language'"):
        columns_for(schema, {"gopher_quality": GopherQuality(by_language={"de": {"min_words": 3}})})
