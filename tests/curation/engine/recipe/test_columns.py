"""What an option names is found by name and dots, or refused with the nearest name."""

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.columns import type_of

INNER = pa.struct([("label", pa.string()), ("scores", pa.struct([("top", pa.float32())]))])
COLUMNS = {"source": pa.string(), "language": INNER, "fitted": None}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("source", pa.string()),
        ("language.label", pa.string()),
        ("language.scores.top", pa.float32()),
        ("fitted", None),
        ("fitted.anything", None),
    ],
)
def test_found(path: str, kind: pa.DataType | None) -> None:
    assert type_of(path, COLUMNS, by="split_by") == kind


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sorce", "no column 'sorce', which split_by names; did you mean 'source'"),
        ("source.x", "source has no field 'x', which split_by names"),
        ("language.lable", "language has no field 'lable', which split_by names; did you mean 'label'"),
        ("language.scores.tap", "language.scores has no field 'tap', which split_by names; did you mean 'top'"),
    ],
)
def test_refused(path: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        type_of(path, COLUMNS, by="split_by")
