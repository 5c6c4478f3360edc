"""The text under each key's span."""

from curation.core.dedup_methods import DedupMethod
from tests.support import documents


def texts_of_keys(method: DedupMethod, text: str) -> list[str]:
    keys = method.keys(documents(text))
    assert keys.start is not None
    assert keys.stop is not None
    whole = text.encode()
    return [whole[start:stop].decode() for start, stop in zip(keys.start, keys.stop, strict=True)]
