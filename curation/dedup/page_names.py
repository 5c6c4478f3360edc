"""Names of pages, by which a page that was taken down is recognised: hashes of the canonical forms of their URLs.

URLs that name one page have one name; `curation/dedup/canonical_url.py` says which do. A URL without a host, such as
`urn:x:1`, is hashed as it is. A URL with a placeholder of redaction stands for many pages and has no name.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.canonical_url import CanonicalUrl
from curation.models.redaction.urls import has_placeholder
from curation.text.kernels.hashing import hash128
from curation.text.text_hash import hex_digits


def page_names(urls: pa.Array | pa.ChunkedArray) -> pa.Array:
    """string[N]: the name of each URL's page, 32 hex digits; null for null, an empty URL and a placeholder."""
    column = urls.combine_chunks() if isinstance(urls, pa.ChunkedArray) else urls
    keys = CanonicalUrl().keys(pa.record_batch([column], names=["url"]))
    hi, lo = (half.copy() for half in hash128(column.cast(pa.large_string())))
    hi[keys.row] = keys.hi
    lo[keys.row] = keys.lo
    given = np.asarray(pc.fill_null(pc.not_equal(column, ""), False))
    return hex_digits(hi, lo, given & ~has_placeholder(column))
