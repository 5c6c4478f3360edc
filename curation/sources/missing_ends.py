"""Why the end of a captured page is missing: the column `truncated` of archives' documents.

The archive may say so (WARC-Truncated: `length`, `time`, `disconnect` or `unspecified`, which stands for any other word
too); the body's compression or chunks may lack their end (`content_encoding`, `chunked`); or it may be shorter than the
Content-Length of its HTTP header, or of its record where the archive itself is cut (`content_length`).

Source: ISO 28500:2017, section 5.13 (WARC-Truncated).
"""

from curation.core.protocols import ReadTally
from curation.core.truncation import COUNTED, STATED, Cause
from curation.sources.archive import Record


def missing_end(record: Record, tally: ReadTally, of_body: Cause | None = None) -> Cause | None:
    """The first cause that is known, which is counted; None if nothing seems to be missing. `of_body` is that of the
    HTTP body."""
    stated = record.headers.get("warc-truncated", "").strip().lower()
    cause = of_body or ("content_length" if record.cut else None)
    if stated:
        cause = next((known for known in STATED if known == stated), "unspecified")
    if cause:
        tally.records[f"{COUNTED}{cause}"] += 1
    return cause
