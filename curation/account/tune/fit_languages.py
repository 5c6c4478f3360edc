"""Fits kits of languages to a run: limits at quantiles of its own documents, and stop words of their text.

A language with at least 100 documents in a filter stage gets a file, which `by_language: FOLDER` reads
(`curation/text/languages/kits.py`). A limit keeps the share `quantile` of the language's documents, as `winnow tune
--quantile` proposes it. Stop words are the STOP_WORDS words without digits that stand in most of its first SAMPLE
documents; a language that had its own in the run keeps those, and only then gets a limit on them.
Source: Penedo et al. 2025, "FineWeb2" (arXiv:2506.20920).
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.tune.limits import RuleSets, rule_sets, rules_of
from curation.account.tune.signals import columns_for, has_language
from curation.account.tune.spreads import proposed, read_spreads
from curation.core import storage
from curation.core.by_language import LANGUAGE
from curation.core.errors import UserError
from curation.text.languages.segments import segmented

QUANTILE = 0.99
STOP_WORDS = 10
SAMPLE = 1000  # documents of a language whose words are counted
_LABEL = f"{LANGUAGE}.label"
_EDGES = ".,;:!?\"'()[]«»„“”‘’…–—。、，！？「」『』।؟،۔"  # marks around a word

Options = dict[str, dict[str, Any]]  # rule set -> option -> value


@dataclass(frozen=True)
class FittedKit:
    """A file that was written."""

    language: str
    documents: int
    file: str
    options: Options


@dataclass(frozen=True)
class FittedKits:
    """What was written, largest language first, and what was not and why."""

    kits: tuple[FittedKit, ...]
    notes: tuple[str, ...]


def fit_languages(
    run: RunFolder, stages: list[SealedStage], folder: Path, *, quantile: float | None = None
) -> FittedKits:
    """Writes a kit for each language with enough documents in one of the filter stages. Raises UserError where none of
    them knows a document's language, and for a folder that has kits already."""
    if any(folder.glob("*.yaml")):
        raise UserError(f"{folder} has kits already; name another folder")
    labelled = [stage for stage in stages if has_language(stage.schema)]
    if not labelled:
        names = ", ".join(stage.name for stage in stages)
        raise UserError(f"{names}: --fit-languages needs a `language` filter in this stage or an earlier one")
    fitted: dict[str, Options] = {}
    documents = Counter[str]()
    notes = dict[str, None]()
    for stage in labelled:
        sets = {key: one for key, one in rule_sets(run, stage).items() if key != LANGUAGE}
        spreads = read_spreads(stage.shards, columns_for(stage.schema, sets), _signals(sets))
        languages = {name: spreads.documents[name] for name in spreads.known_languages()}
        documents |= Counter(languages)
        changes = proposed(sets, spreads, quantile=quantile or QUANTILE, sigma=None, by_language=True)
        words = count_words(stage, list(languages)) if languages else {}
        for language in languages:
            for key, options in _options(language, sets, changes).items():
                unfit = _unfit(sets[key], language, key, options, words[language])
                notes |= {unfit: None} if unfit else {}
                if options and not unfit:
                    fitted.setdefault(language, {})[key] = options
    return FittedKits(tuple(_write(run, folder, fitted, documents, quantile or QUANTILE)), tuple(notes))


def _signals(sets: RuleSets) -> list[str]:
    return list(dict.fromkeys(f"{key}.{rule.signal}" for key, rule in rules_of(sets)))


def _options(language: str, sets: RuleSets, changes: Any) -> Options:
    """The limits proposed for a language, by rule set."""
    start = f"by_language.{language}."
    return {
        key: {name.removeprefix(start): value for name, value in changes[key].items() if name.startswith(start)}
        for key in sets
    }


def _unfit(rule_set: Any, language: str, key: str, options: dict[str, Any], counted: "FrequentWords") -> str:
    """Completes the options with stop words. Why limits cannot come from this run; "" where they can."""
    if getattr(rule_set, "words", "") == "blanks" and counted.cut:
        return (
            f"{key} told words apart by blanks, which {language} has not: no limits for it; curate with "
            "`words: segments` or `by_language: shipped`"
        )
    if hasattr(rule_set, "stop_words") and "stop_words" not in rule_set.by_language.get(language, {}):
        options.pop("min_stop_words", None)
        if len(counted.stop_words) == STOP_WORDS:
            options["stop_words"] = list(counted.stop_words)
    return ""


@dataclass(frozen=True)
class FrequentWords:
    """The most frequent words of a language, and whether most of its texts have no blanks between words."""

    stop_words: tuple[str, ...]
    cut: bool


def count_words(stage: SealedStage, languages: list[str]) -> dict[str, FrequentWords]:
    """Language -> its words in the first SAMPLE documents that the stage read, dropped ones too."""
    texts: dict[str, list[str]] = {language: [] for language in languages}
    for batch in stage.scan([_LABEL, "text"]):
        for label, text in zip(batch.column(_LABEL).to_pylist(), batch.column("text").to_pylist(), strict=True):
            if text and len(texts.get(label, ())) < SAMPLE:
                texts.setdefault(label, []).append(text)
        if all(len(texts[language]) >= SAMPLE for language in languages):
            break
    return {language: _frequent(texts[language]) for language in languages}


def _frequent(texts: list[str]) -> FrequentWords:
    found: Counter[str] = Counter()
    blanked = segmented(pa.array(texts, pa.large_string())).to_pylist()
    for text in blanked:
        found.update({word.strip(_EDGES).lower() for word in text.split()})
    letters = [(-count, word) for word, count in found.items() if any(map(str.isalpha, word)) and _plain(word)]
    cut = sum(text.count(" ") < now.count(" ") / 2 for text, now in zip(texts, blanked, strict=True))
    return FrequentWords(tuple(word for _, word in sorted(letters)[:STOP_WORDS]), 2 * cut > len(texts))


def _plain(word: str) -> bool:
    return not any(map(str.isdigit, word)) and len(word.split()) == 1


def _write(
    run: RunFolder, folder: Path, fitted: dict[str, Options], documents: Counter[str], quantile: float
) -> list[FittedKit]:
    kits = []
    folder.mkdir(parents=True, exist_ok=True)
    for language in sorted(fitted, key=lambda language: (-documents[language], language)):
        file = folder / f"{language}.yaml"
        options = fitted[language]
        content = yaml.safe_dump(
            {"languages": [language], "options": options},
            sort_keys=False,
            allow_unicode=True,
            default_flow_style=None,
            width=118,
        )
        head = f"# Fitted to {documents[language]:,} documents of {run.record.name}; each limit keeps {quantile:g}."
        storage.replace_bytes(str(file), f"{head}\n{content}".encode())
        kits.append(FittedKit(language, documents[language], str(file), options))
    return kits
