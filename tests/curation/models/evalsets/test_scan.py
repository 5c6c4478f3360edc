"""N-grams of texts that are in an index, against a plain Python set."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.models.evalsets.index import EvalsetIndex, Lookup
from curation.models.evalsets.scan import GramHits, find_grams
from curation.text.canonical_tokens import folded_texts
from curation.text.kernels.compiler.kernel import read_only
from tests.curation.models.evalsets import indexed

WORDS = ("red", "green", "blue", "black", "white", "brown", "grey", "pink")
LINE = "red green blue black white brown grey"


def hits_of(index: EvalsetIndex, *texts: str, size: int = 3) -> GramHits:
    return find_grams(pa.array(texts, pa.large_string()), index.lookup(size))


def test_where_they_stand(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"own": [{"question": LINE}]}, (3,))
    text = "Pink, Green — BLUE; “black”\n  white."
    hits = hits_of(index, "pink", text)
    assert hits.row.tolist() == [1, 1]
    assert hits.token.tolist() == [1, 2]
    assert [text.encode()[a:b].decode() for a, b in zip(hits.start, hits.stop, strict=True)] == [
        "Green — BLUE; “black",
        "BLUE; “black”\n  white",
    ]
    assert hits.tokens.tolist() == [1, 5]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), min_size=1, max_size=4))
def test_all_of_them(tmp_path: Path, texts: list[str]) -> None:
    index = indexed(tmp_path, {"own": [{"question": LINE}]}, (3,)) if not list(tmp_path.iterdir()) else None
    index = index or EvalsetIndex(str(tmp_path), {"sizes": [3], "sets": {}, "files": {}})
    known = LINE.split()
    grams = {tuple(known[at : at + 3]) for at in range(len(known) - 2)}
    expected = []
    for row, text in enumerate(texts):
        words = text.split()
        expected += [(row, at) for at in range(len(words) - 2) if tuple(words[at : at + 3]) in grams]
    hits = hits_of(index, *texts)
    assert list(zip(hits.row.tolist(), hits.token.tolist(), strict=True)) == expected


def test_no_hit_through_an_equal_hash(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"own": [{"question": LINE}]}, (3,))
    own = index.lookup(3)
    other = folded_texts(pa.array([LINE.replace("red", "rad")]))[0]
    folded = pa.array([other], pa.large_binary()).buffers()[2]
    assert folded is not None
    changed = Lookup(*own[:-2], np.frombuffer(folded, "u1")[: len(other)], own.starts)
    text = pa.array([LINE], pa.large_string())
    assert find_grams(text, own).token.tolist() == [0, 1, 2, 3, 4]
    assert find_grams(text, read_only(changed)).token.tolist() == [1, 2, 3, 4]


def test_a_text_of_many_rounds(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"own": [{"question": LINE}]}, (3,))
    text = "x " * 1020 + LINE + " y" * 5000 + " " + LINE
    assert hits_of(index, text).token.tolist() == [*range(1020, 1025), *range(6027, 6032)]
