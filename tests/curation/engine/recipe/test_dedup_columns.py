"""A method's column, and what its fields mean."""

import pyarrow as pa

from curation.core.component import struct_type
from curation.core.dedup_methods import COLUMNS
from curation.dedup.bloom import Bloom
from curation.dedup.exact import Exact
from curation.engine.recipe.dedup_columns import MEANINGS


def test_the_column_has_what_the_method_states() -> None:
    assert struct_type(Exact().signal_types()) == pa.struct(
        [(name, pa.int64()) for name in ("duplicate_of", "copies", "cluster")]
    )
    assert struct_type(Bloom(expected_items=5).signal_types()) == pa.struct([("member", pa.bool_())])


def test_every_field_has_a_meaning() -> None:
    assert {name for fields in COLUMNS.values() for name in fields} == set(MEANINGS)
