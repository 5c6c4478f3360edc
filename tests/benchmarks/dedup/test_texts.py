"""The seeded texts have the copies that they are said to have, as alike as they are said to be."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.dedup.texts import EXACT, FAR, NEAR, ORIGINAL, Mix, likeness, plan, texts_of, write

MIX = Mix(documents=400)


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def jaccard(one: str, other: str) -> float:
    a = shingles(one)
    b = shingles(other)
    return len(a & b) / len(a | b)


def test_kinds_have_their_shares_and_families_one_original() -> None:
    planned = plan(MIX)
    assert np.bincount(planned.kind).tolist() == [260, 40, 80, 20]
    originals = planned.family[planned.kind == ORIGINAL]
    assert len(set(originals.tolist())) == 260
    assert np.isin(planned.family[np.isin(planned.kind, (EXACT, NEAR))], originals).all()
    assert not np.isin(planned.family[planned.kind == FAR], originals).any()
    assert len(np.unique(planned.family)) == 280


def test_copies_are_as_alike_as_stated() -> None:
    planned = plan(MIX)
    texts, words, replaced = texts_of(MIX, planned, slice(0, MIX.documents))
    stated = likeness(words, replaced)
    rows = texts.to_pylist()
    original = {planned.origin[d]: rows[d] for d in np.flatnonzero(planned.kind == ORIGINAL)}
    for d, text in enumerate(rows):
        assert jaccard(text, original[planned.origin[d]]) == pytest.approx(stated[d])
    assert set(replaced[planned.kind == EXACT].tolist()) == {0}
    assert replaced[planned.kind == NEAR].min() == 1
    assert stated[planned.kind == NEAR].min() > 0.85
    assert stated[planned.kind == FAR].max() < 0.6


def test_files_hold_the_same_texts_however_many_there_are(tmp_path: Path) -> None:
    planned = plan(MIX)
    one = write(MIX, planned, tmp_path / "one", 400)
    three = write(MIX, planned, tmp_path / "three", 150)
    assert [len(list((tmp_path / name).iterdir())) for name in ("one", "three")] == [1, 3]
    tables = [pq.read_table(folder) for folder in (tmp_path / "one", tmp_path / "three")]
    assert tables[0].equals(tables[1])
    assert one.text_bytes == three.text_bytes == sum(len(text.as_py()) for text in tables[0]["text"])
    assert one.far_likeness[1] < one.near_likeness[0] < 1


def test_another_seed_gives_other_texts() -> None:
    rows = slice(0, 5)
    other = Mix(documents=400, seed=1)
    first, again = (texts_of(MIX, plan(MIX), rows)[0] for _ in range(2))
    assert first.equals(again)
    assert not first.equals(texts_of(other, plan(other), rows)[0])


def test_texts_too_short_for_replaced_words_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="60 or more"):
        Mix(documents=10, words=59)
