"""Filters by name: `winnow.filters.GopherQuality(min_words=30)`.

`dir(winnow.filters)` names them all, `help(winnow.filters.GopherQuality)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.filters.c4_quality import C4Quality as C4Quality
    from curation.filters.code_quality import CodeQuality as CodeQuality
    from curation.filters.containment import Containment as Containment
    from curation.filters.contamination import Contamination as Contamination
    from curation.filters.dsir import Dsir as Dsir
    from curation.filters.fineweb_quality import FinewebQuality as FinewebQuality
    from curation.filters.formula_density import FormulaDensity as FormulaDensity
    from curation.filters.gopher_quality import GopherQuality as GopherQuality
    from curation.filters.gopher_repetition import GopherRepetition as GopherRepetition
    from curation.filters.language import Language as Language
    from curation.filters.licence_policy import LicencePolicy as LicencePolicy
    from curation.filters.opt_outs import OptOuts as OptOuts
    from curation.filters.page_prose import PageProse as PageProse
    from curation.filters.perplexity import Perplexity as Perplexity
    from curation.filters.quality_classifier import QualityClassifier as QualityClassifier
    from curation.filters.quantile_rank import QuantileRank as QuantileRank
    from curation.filters.refinedweb_quality import RefinedwebQuality as RefinedwebQuality
    from curation.filters.text_left import TextLeft as TextLeft
    from curation.filters.toxicity import Toxicity as Toxicity
    from curation.filters.transformer_classifier import TransformerClassifier as TransformerClassifier
    from curation.filters.truncation import Truncation as Truncation
    from curation.filters.unigram_divergence import UnigramDivergence as UnigramDivergence
    from curation.filters.url_blocklist import UrlBlocklist as UrlBlocklist
else:
    __getattr__, __dir__ = room(__name__, "filter")
