"""Kernels are compiled once, and anew when any file they may inline has changed."""

from pathlib import Path

import curation.text.compiled as compiled
import curation.text.spans as spans
import curation.text.unicode as unicode


def test_a_cached_kernel_is_stamped_with_every_file_it_may_inline() -> None:
    stamp = unicode.decode._cache._cache_file._source_stamp  # type: ignore[attr-defined]
    names = [name for name, _, _ in stamp]
    assert {"unicode.py", "spans.py", "hashing.py", "compiled.py"} <= set(names)
    assert spans._find_words._cache._cache_file._source_stamp == stamp  # type: ignore[attr-defined]


def test_the_stamp_changes_with_a_file_beside_the_kernel(tmp_path: Path) -> None:
    compiled._source_stamp.cache_clear()
    before = compiled._source_stamp(tmp_path)
    (tmp_path / "new.py").write_text("x = 1\n")
    compiled._source_stamp.cache_clear()
    assert compiled._source_stamp(tmp_path) != before


def test_a_kernel_compiles_nothing_for_other_types() -> None:
    assert len(unicode.decode.signatures) == 1  # type: ignore[attr-defined]
    assert not unicode.decode._can_compile  # type: ignore[attr-defined]
