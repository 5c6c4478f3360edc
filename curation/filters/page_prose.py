"""Page prose: drop forms, log-in pages, lists of links and pages of promotion, which have little prose.

    - filter: {page_prose: {}}

Source: Weninger et al. 2010, "CETR: Content Extraction via Tag Ratios" (WWW 2010), for judging text by the markup
beside it; the rules and limits are ours. Prose is what `curation/text/prose_lines.py` finds. Form fields are counted by
the stage `extract` in the whole page: <input>, hidden ones and buttons too, <select> and <textarea>.

The limits were chosen on pages whose main text people had marked and on pages without one (data/web, archives 0 and 1,
2026-11). Of the texts that Trafilatura finds, 639 were good, and 78 were of pages without a main text. Less than 300
bytes of prose had 7 and 50 of them, more than 50 fields for each 1,000 bytes 7 and 37, either 11 and 54.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import ByLanguage
from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.limits import COUNTS, Limit
from curation.text.prose_lines import prose_lines

EXTRACT = "extract"  # the column of what extraction counted
FIELDS = "fields"  # of a form
LEAST = 100  # bytes of prose, at least, to which fields are related


@dataclass(frozen=True, kw_only=True)
class PageProse(ByLanguage):
    """Limits on a page's prose and on the form fields beside it; the defaults are ours."""

    min_prose_bytes: Annotated[int, "UTF-8 bytes in lines of prose"] = 300
    max_fields_per_prose: Annotated[float, "form fields of the page for each 1,000 bytes of prose"] = 50.0

    reads: ClassVar[tuple[str, ...]] = ("text", EXTRACT)
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("prose_bytes", least="min_prose_bytes", between=COUNTS),
        Limit("fields_per_prose", most="max_fields_per_prose", between=COUNTS),
    )
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        """A size and a ratio."""
        return {"prose_bytes": pa.int64(), "fields_per_prose": pa.float64()}

    def check_columns(self, columns: Mapping[str, pa.DataType]) -> None:
        """Raises RecipeError after an extraction that counts no form fields, as that of PDF files."""
        kind = columns[EXTRACT]
        if not pa.types.is_struct(kind) or FIELDS not in [field.name for field in kind]:
            raise RecipeError("page_prose judges web pages: these documents are none, so leave it out of their chain")

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `prose_bytes` int64[N], and `fields_per_prose` float64[N], null where extraction
        counted nothing; an empty text measures 0 bytes, and LEAST are taken for the fields."""
        prose = np.asarray(pc.fill_null(pc.binary_length(prose_lines(batch.column("text"))), 0), np.int64)
        fields = pc.struct_field(batch.column(EXTRACT), FIELDS).cast(pa.float64())
        return {
            "prose_bytes": pa.array(prose),
            "fields_per_prose": pc.divide(fields, pa.array(np.maximum(prose, LEAST) / 1000)),
        }
