"""Formula density: keep documents of which formulas are a part, for the mathematical part of a mix.

    - filter: {formula_density: {min_share: 0.01}}

Source: the need for it is that of Paster et al. 2023, "OpenWebMath" (arXiv:2310.06786), section 3.2, who look for
TeX and common words of mathematics before a classifier judges; the measure and its limit are ours: see
`curation/text/formulas.py` for what a formula is. It finds where mathematics is written, not whether it is explained:
the rubric `mathematics` of `winnow annotate` judges that, and a `quality_classifier` learns it.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pyarrow as pa

from curation.core.component import Signals
from curation.core.filter import Filter
from curation.core.limits import COUNTS, SHARES, Limit
from curation.text.formulas import count_formulas
from curation.text.kernels.buffers import text_buffers
from curation.text.spans import ratio


@dataclass(frozen=True, kw_only=True)
class FormulaDensity(Filter):
    """Limits on formulas."""

    min_share: Annotated[float, "of a text's bytes, in formulas, commands of TeX and signs of mathematics"] = 0.01
    min_formulas: Annotated[int | None, "formulas; None: no limit"] = None

    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("share", least="min_share", between=SHARES),
        Limit("formulas", least="min_formulas", between=COUNTS),
    )
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        """The share of formulas, and their number."""
        return {"share": pa.float64(), "formulas": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> share float64[N], formulas int64[N]; an empty text has a share of 0."""
        text = batch.column("text")
        counts = count_formulas(text)
        _, offsets = text_buffers(text)
        return {
            "share": pa.array(ratio(counts.bytes_in, offsets[1:] - offsets[:-1])),
            "formulas": pa.array(counts.formulas),
        }
