"""The closed set of names under which records are counted."""

import pytest

from curation.sources.counted_types import counted_record, counted_type


@pytest.mark.parametrize(
    ("media", "name"),
    [
        ("application/pdf", "application/pdf"),
        ("image/x-made-up", "image/other"),
        ("made/up", "other"),
        ("invalid", "invalid"),
        ("", ""),
    ],
)
def test_type(media: str, name: str) -> None:
    assert counted_type(media) == name


def test_record() -> None:
    assert [counted_record(kind) for kind in ("request", "made-up", "")] == ["request", "unknown", "unknown"]
