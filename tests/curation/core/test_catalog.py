"""A key names its module and class; a new file is known without being registered."""

import pytest

from curation.core import catalog
from curation.core.errors import UserError
from curation.filters.gopher_quality import GopherQuality


def test_a_key_finds_its_class() -> None:
    assert catalog.find("filter", "gopher_quality") is GopherQuality
    assert catalog.find("tokenize", "encode").__name__ == "Encode"


def test_what_is_known() -> None:
    assert {"gopher_quality", "gopher_repetition", "language"} <= set(catalog.known("filter"))
    assert {"warc", "jsonl", "parquet"} <= set(catalog.known("read"))
    assert {"resiliparse", "trafilatura", "etrafilatura", "cascade"} <= set(catalog.known("extract"))
    assert catalog.find("extract", "cascade").__module__ == "curation.engine.cascade"
    assert {"bloom", "exact", "minhash", "substring"} <= set(catalog.known("dedup"))
    assert not {"components", "elect", "groups", "spans"} & set(catalog.known("dedup"))  # steps, not methods


@pytest.mark.parametrize("key", ["gopher_qualty", "__init__", "gopher-quality", "../x", ""])
def test_an_unknown_key(key: str) -> None:
    with pytest.raises(UserError, match="no filter named"):
        catalog.find("filter", key)


def test_every_verb_has_parts() -> None:
    assert [verb for verb in catalog.ROOMS if not catalog.known(verb)] == []
