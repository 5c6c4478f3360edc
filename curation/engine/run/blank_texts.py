"""Drops documents without a visible character, with the reason `extract:empty`: when they are read and,
because rewriters may empty a text, before tokenization."""

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.reasons import extract_reason
from curation.text.kernels.unicode import UNSEEN_RANGES

EMPTY = extract_reason("empty")
_UNSEEN = "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in UNSEEN_RANGES)
_BLANK = rf"^[\s\pZ\p{{Cc}}\p{{Cf}}{_UNSEEN}]*$"  # whitespace, control and format characters, fillers and the like


def drop_blank(documents: pa.RecordBatch) -> pa.RecordBatch:
    """The documents, with the reason EMPTY for those that have none and a text that is empty or blank."""
    blank = pc.fill_null(pc.match_substring_regex(documents["text"], _BLANK), False)
    reasons = documents["drop_reason"]
    marked = pc.if_else(pc.and_(blank, reasons.is_null()), pa.scalar(EMPTY, pa.string()), reasons)
    at = documents.schema.get_field_index("drop_reason")
    return documents.set_column(at, documents.schema.field(at), marked)
