"""Presidio's recognizers as they are run here, and a plain Presidio that runs the same ones.

Source: presidio-analyzer (github.com/microsoft/presidio), its predefined recognizers of patterns and PhoneRecognizer.

Plain Presidio, by which the results here are judged, is its `AnalyzerEngine` with these recognizers and a threshold.
Words that raise a score when they stand before a value are compared with lemmas. A model of spaCy would be needed for
these; here a lemma is the token itself, of spaCy's blank pipeline of the text's language, or of the blank pipeline of
many languages where a language has none or one that is no rule-based tokenizer (Chinese, Japanese, Korean, Thai,
Vietnamese). So plain Presidio needs no model, and neither does anything here. Domains end as the list says that
`tldextract` carries; nothing is downloaded.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any

from curation.core.errors import UserError
from curation.core.installation import remedy
from curation.models.pii.kinds import PHONE, UNUSED_PATTERNS
from curation.models.pii.recognizer_list import EVERYWHERE, PresidioRecognizer, known
from curation.models.pii.regions import PRESIDIO_REGIONS

# Libraries that Presidio and spaCy load beside them only because they are installed.
_LARGE = ("torch", "tensorflow", "transformers", "stanza", "gliner", "cupy", "mxnet")
MANY = "xx"  # spaCy's name of the pipeline of many languages
# Presidio gives these other words in another language.
_CONTEXT = {
    ("CreditCardRecognizer", "es"): (
        "tarjeta credito visa mastercard cc amex discover jcb diners maestro instapayment".split()
    ),
    ("CreditCardRecognizer", "en"): (
        "credit card visa mastercard cc amex discover jcb diners maestro instapayment".split()
    ),
}


@lru_cache
def presidio() -> ModuleType:
    """The module `presidio_analyzer`. With torch and transformers it would take ten times as long and 600 MB more.

    Raises UserError if it is not installed.
    """
    try:
        with _absent(*_LARGE):
            import presidio_analyzer
            import presidio_analyzer.predefined_recognizers
            import presidio_analyzer.recognizer_registry
            import spacy  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(
            f"personal data is found with presidio-analyzer ({error}); run {remedy(['presidio-analyzer'])}"
        ) from error
    module: ModuleType = presidio_analyzer
    return module


@contextmanager
def _absent(*names: str) -> Iterator[None]:
    """Within, to import one of these libraries fails as if it were not installed; one that is loaded stays."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def chosen(kinds: Sequence[str], language: str) -> list[PresidioRecognizer]:
    """The recognizers of these kinds for texts of a language."""
    return [one for one in known() if one.kind in kinds and one.language in (EVERYWHERE, language)]


def make(one: PresidioRecognizer, language: str, regions: Sequence[str] = PRESIDIO_REGIONS) -> Any:
    """A recognizer of Presidio for texts of a language; telephone numbers as they are written in these regions."""
    options: dict[str, Any] = {"supported_language": language}
    if one.kind == PHONE:
        options["supported_regions"] = tuple(regions)
    if context := _CONTEXT.get((one.name, language)):
        options["context"] = context
    cls: Any = (
        _offline_email() if one.name == "EmailRecognizer" else getattr(presidio().predefined_recognizers, one.name)
    )
    if without := UNUSED_PATTERNS.get(one.name):
        options["patterns"] = [pattern for pattern in cls.PATTERNS if pattern.name not in without]
    return cls(**options)


@lru_cache
def offline_domains() -> Any:
    """What splits a domain by the list of public suffixes that `tldextract` carries; nothing is downloaded."""
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


@lru_cache
def _offline_email() -> Any:
    base = presidio().predefined_recognizers.EmailRecognizer
    extract = offline_domains()

    class OfflineEmail(base):  # type: ignore[misc, valid-type]
        """Presidio's, with the list of public suffixes that `tldextract` carries."""

        def validate_result(self, pattern_text: str) -> bool:
            return bool(extract(pattern_text).fqdn)

    return OfflineEmail


@lru_cache(maxsize=64)
def blank(language: str) -> Any:
    """spaCy's blank pipeline for texts of a language."""
    presidio()  # loads spaCy without torch
    import spacy
    from spacy.tokenizer import Tokenizer

    try:
        pipeline = spacy.blank(language)
    except ImportError:
        return spacy.blank(MANY)
    return pipeline if isinstance(pipeline.tokenizer, Tokenizer) else spacy.blank(MANY)


def plain_presidio(
    language: str, kinds: Sequence[str], *, min_score: float = 0.0, regions: Sequence[str] = PRESIDIO_REGIONS
) -> Any:
    """Presidio's AnalyzerEngine, to compare with: `engine.analyze(text, language)` gives characters, not bytes."""
    module = presidio()
    nlp = module.nlp_engine

    class TokensAreLemmas(nlp.SlimSpacyNlpEngine):  # type: ignore[misc, name-defined]
        def _doc_to_nlp_artifact(self, doc: Any, language: str) -> Any:
            tokens = [token.text for token in doc]
            return nlp.NlpArtifacts([], doc, [token.idx for token in doc], tokens, self, language, [])

    engine = TokensAreLemmas(models=[{"lang_code": language, "model_name": "blank"}], auto_download=False)
    engine.nlp = {language: blank(language)}
    found = [make(one, language, regions) for one in chosen(kinds, language)]
    registry = module.RecognizerRegistry(recognizers=found, supported_languages=[language])
    return module.AnalyzerEngine(
        registry=registry, nlp_engine=engine, supported_languages=[language], default_score_threshold=min_score
    )
