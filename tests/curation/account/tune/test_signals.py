"""Verdicts on rows that failed, the bytes that rows are said to have, and signals that were not measured."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from curation.account.tune.limits import rules_of
from curation.account.tune.signals import beyond, columns_for, text_bytes, verdicts
from curation.core.errors import InputError
from curation.core.reasons import TAKEDOWN
from curation.filters.gopher_quality import GopherQuality
from curation.filters.language import Language
from tests.curation.account.corpus import curate

SETS = {"language": Language(languages=("en",)), "other": Language(min_score=0.5)}


def test_a_failed_rule_set_keeps_its_error_in_its_turn() -> None:
    struct = pa.struct([("label", pa.string()), ("score", pa.float64()), ("garbled", pa.float64())])
    language = [{"label": "en", "score": 0.9, "garbled": 0}, {"label": "de", "score": 0.9, "garbled": 0.2}, {}, {}]
    other: list[dict[str, float]] = [{}, {}, {"score": 0.9, "garbled": 0}, {}]
    failed = ["error.other.ValueError", "error.other.ValueError", "error.language.KeyError", TAKEDOWN]
    columns = {"language": pa.array(language, struct), "other": pa.array(other, struct), "drop_reason": failed}
    rows = pa.table(columns)
    assert verdicts(SETS, rows).to_pylist() == [failed[0], "language.label:not_in", *failed[2:]]
    hits = {limit: np.flatnonzero(rows).tolist() for limit, rows in beyond(rules_of(SETS), rows).items()}
    assert hits == {
        "language.label:unmeasured": [2],
        "language.label:not_in": [1],
        "language.score:unmeasured": [2],
        "language.score:low": [],
        "language.garbled:unmeasured": [2],
        "language.garbled:high": [1],
        "other.score:unmeasured": [0, 1],
        "other.score:low": [],
        "other.garbled:unmeasured": [0, 1],
        "other.garbled:high": [],
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
    assert "gopher_quality.words" in columns_for(schema, {"gopher_quality": GopherQuality()})
    with pytest.raises(InputError, match="need the column 'language'"):
        columns_for(schema, {"gopher_quality": GopherQuality(by_language={"de": {"min_words": 3}})})
