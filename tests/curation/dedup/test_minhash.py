import numpy as np
import pyarrow as pa
import pytest

from curation.dedup.minhash import Minhash
from tests.support import documents


def numbered(*numbers: int) -> str:
    """A word per number."""
    return " ".join(f"w{number}" for number in numbers)


LONG = numbered(*range(200))
ONE_PER_ROW = Minhash(hashes=4, bands=4, rows=1)


def sign(method: Minhash, *texts: str | None) -> pa.Array:
    return method.sign(documents(*texts))


def values(signatures: pa.Array, row: int) -> list[int]:
    return np.frombuffer(signatures[row].as_py(), np.uint32).tolist()


def agree(method: Minhash, one: str | None, other: str | None) -> bool:
    batch = documents(one, other)
    evidence = method.sign(batch) if method.evidence_type() is None else method.evidence(batch)
    found: list[bool] = method.agree(evidence[:1], evidence[1:]).tolist()
    return found[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"bands": 14}, "both bands and rows", id="bands alone"),
        pytest.param({"rows": 8}, "both bands and rows", id="rows alone"),
        pytest.param({"bands": 14, "rows": 9}, "126 hashes", id="more rows than hashes"),
        pytest.param({"bands": 0, "rows": 8}, "at least 1", id="no band"),
        pytest.param({"shingle_words": 0}, "at least 1 word", id="no word"),
        pytest.param({"hashes": 0}, "1 to 16384", id="no hash"),
        pytest.param({"hashes": 16_385}, "1 to 16384", id="too many hashes"),
        pytest.param({"threshold": 0.0}, "above 0", id="threshold 0"),
        pytest.param({"threshold": 1.01}, "at most 1", id="threshold above 1"),
        pytest.param({"seed": -1}, "whole number", id="seed below 0"),
    ],
)
def test_options_that_cannot_work(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Minhash(**options)  # type: ignore[arg-type]


def test_the_defaults_are_cut_as_fineweb_cuts() -> None:
    assert Minhash().banding == (14, 8)
    assert (Minhash().bands, Minhash().rows) == (14, 8)


def test_bands_follow_the_threshold_unless_they_are_stated() -> None:
    lenient = Minhash(threshold=0.5).banding
    strict = Minhash(threshold=0.9).banding
    assert lenient[0] > 14 > strict[0]
    assert Minhash(threshold=0.9, bands=14, rows=8).banding == (14, 8)


@pytest.mark.parametrize("options", [{"threshold": 1.0}, {"hashes": 1}])
def test_options_for_which_no_bands_can_be_derived(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="give bands and rows"):
        Minhash(**options)  # type: ignore[arg-type]
    assert Minhash(bands=1, rows=1, **options).banding == (1, 1)  # type: ignore[arg-type]


def test_a_document_without_a_word_has_no_signature_and_no_key() -> None:
    signatures = sign(ONE_PER_ROW, "", None, " \n\u3000", "word")
    assert signatures.is_null().to_pylist() == [True, True, True, False]
    assert ONE_PER_ROW.keys_of(signatures).row.tolist() == [3, 3, 3, 3]


def test_a_short_document_is_one_shingle() -> None:
    signatures = sign(Minhash(), "One", "one ", "one two three four", "one two three four five", "one two three")
    assert signatures[0] == signatures[1]
    assert len(set(signatures.to_pylist())) == 4


def test_a_signature_holds_the_least_of_all_shingles() -> None:
    whole = values(sign(Minhash(), numbered(*range(30))), 0)
    parts = sign(Minhash(), *(numbered(*range(k, k + 5)) for k in range(26)))
    assert whole == np.min([values(parts, k) for k in range(26)], axis=0).tolist()


def test_a_signature_of_many_rounds_is_the_least_of_its_parts() -> None:
    text = numbered(*range(5000))
    halves = sign(Minhash(), text, numbered(*range(2504)), numbered(*range(2500, 5000)))
    assert values(halves, 0) == np.minimum(values(halves, 1), values(halves, 2)).tolist()


def test_a_batch_without_rows() -> None:
    method = Minhash()
    signatures = sign(method)
    assert signatures.type == pa.binary(448)
    assert len(method.keys_of(signatures).hi) == 0
    assert method.agree(signatures, signatures).tolist() == []


def test_another_seed_is_another_family() -> None:
    one = values(sign(Minhash(), LONG), 0)
    other = values(sign(Minhash(seed=2), LONG), 0)
    assert not set(one) & set(other)


def test_values_are_spread_over_their_range() -> None:
    signatures = sign(Minhash(hashes=1024), *(f"word{k}" for k in range(64)))
    found = np.frombuffer(b"".join(signatures.to_pylist()), np.uint32) / 2**32
    assert abs(found.mean() - 0.5) < 0.005  # 65,536 values: the standard error is 0.0011
    assert abs(np.corrcoef(found.reshape(64, -1)[:, :8], rowvar=False) - np.eye(8)).max() < 0.5


def test_a_key_stands_for_a_band_and_its_values() -> None:
    one, other = sign(ONE_PER_ROW, numbered(*range(50)), numbered(*range(48)))
    rows = [np.frombuffer(row.as_py(), np.uint32) for row in (one, other)]
    keys = ONE_PER_ROW.keys_of(pa.array([one.as_py(), other.as_py()], pa.binary(16)))
    assert (keys.hi[:4] == keys.hi[4:]).tolist() == (rows[0] == rows[1]).tolist()
    assert (rows[0] == rows[1]).sum() > 0
    assert keys.row.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert not keys.lo.any()


def test_equal_values_in_other_bands_are_other_keys() -> None:
    same = np.full((1, 4), 7, np.uint32).tobytes()
    keys = ONE_PER_ROW.keys_of(pa.array([same], pa.binary(16)))
    assert len(set(keys.hi.tolist())) == 4


def test_signatures_agree_at_the_threshold_and_not_below_it() -> None:
    method = Minhash(hashes=4, bands=4, rows=1, threshold=0.75)
    left = pa.array(
        [np.array(row, np.uint32).tobytes() for row in ([1, 2, 3, 4], [1, 2, 3, 4])] + [None], pa.binary(16)
    )
    right = pa.array(
        [np.array(row, np.uint32).tobytes() for row in ([1, 2, 3, 9], [1, 2, 9, 9])] + [None], pa.binary(16)
    )
    assert method.agree(left, right).tolist() == [True, False, False]


def test_exact_evidence_agrees_at_the_threshold_and_not_below_it() -> None:
    method = Minhash(shingle_words=1, threshold=0.75, verify="exact")
    assert agree(method, numbered(*range(4)), numbered(*range(3)))  # 3 of 4
    assert agree(method, numbered(*range(1, 8)), numbered(*range(7)))  # 6 of 8
    assert not agree(method, numbered(*range(11)), numbered(*range(3, 11)))  # 8 of 11


def test_nothing_agrees_with_a_document_without_words() -> None:
    for verify in ("signature", "exact"):
        method = Minhash(verify=verify)  # type: ignore[arg-type]
        assert not agree(method, "", "")
        assert not agree(method, None, None)
        assert not agree(method, "", "one")
        assert agree(method, "one", "ONE")


def test_repeated_shingles_count_once_in_exact_evidence() -> None:
    method = Minhash(shingle_words=1, threshold=1.0, verify="exact", bands=14, rows=8)
    assert agree(method, "a b a b a", "b a")


def test_taken_evidence_compares_row_by_row() -> None:
    method = Minhash(verify="exact", shingle_words=1)
    evidence = method.evidence(documents("a b", "c", "B a", "c d"))
    left = evidence.take(pa.array([3, 0, 1, None]))
    right = evidence.take(pa.array([3, 2, 3, None]))
    assert method.agree(left, right).tolist() == [True, True, False, False]


def test_signatures_of_other_options_are_refused() -> None:
    with pytest.raises(ValueError, match="sign the texts anew"):
        Minhash().keys_of(sign(Minhash(hashes=100), "a"))


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a", "a ", "中", "\0", "😀 "])
def test_a_line_of_fifty_megabytes(piece: str) -> None:
    text = piece * (50_000_000 // len(piece.encode()))
    signatures = sign(Minhash(), text, piece * 20)
    assert signatures.null_count == 0
    assert signatures[0].as_py() != bytes(448)
