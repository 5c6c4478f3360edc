"""Fits by name, which learn what later stages load: `winnow.fit.Tokenizer(vocab_size=16384)`.

`dir(winnow.fit)` names them all, `help(winnow.fit.Tokenizer)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.fit.classifier import Classifier as Classifier
    from curation.fit.dsir import Dsir as Dsir
    from curation.fit.evalsets import Evalsets as Evalsets
    from curation.fit.extractor import Extractor as Extractor
    from curation.fit.kmeans import Kmeans as Kmeans
    from curation.fit.ngram_model import NgramModel as NgramModel
    from curation.fit.quantiles import Quantiles as Quantiles
    from curation.fit.sentencepiece import Sentencepiece as Sentencepiece
    from curation.fit.site_preferences import SitePreferences as SitePreferences
    from curation.fit.tokenizer import Tokenizer as Tokenizer
    from curation.fit.unigrams import Unigrams as Unigrams
else:
    __getattr__, __dir__ = room(__name__, "fit")
