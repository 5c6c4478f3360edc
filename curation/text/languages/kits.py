"""Kits: what each language wants of the rule sets, so that limits made for English prose do not drop good text.

    languages: [de]
    script: Latn
    options:
      gopher_quality: {stop_words: [der, die, und], max_mean_word_length: 12.5}
      fineweb_quality: {max_short_lines: 0.75}

A recipe names kits as `by_language: shipped` (those in `kits/`) or `by_language: FOLDER`, with files as `winnow tune
--fit-languages FOLDER` writes them: their options go before the shipped ones. `kits/others.yaml` has the options of all
other languages, and those that hold in all, such as that words of scripts without blanks are cut.
Source: Penedo et al. 2025, "FineWeb2" (arXiv:2506.20920), for limits from the quantiles of each language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from curation.core.errors import RecipeError
from curation.core.settings import YamlFile, build, load_yaml

SHIPPED = "shipped"
OTHERS = "others.yaml"
FOLDER = Path(__file__).parent / "kits"

Options = Mapping[str, Mapping[str, Any]]  # rule set -> option -> value


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What one file says."""

    languages: tuple[str, ...] = ()  # labels of the `language` rule set; none in others.yaml
    script: str = ""  # ISO 15924
    options: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kits:
    """Language -> its kits, each with its file; of several that state an option, the last one counts."""

    by_language: Mapping[str, tuple[tuple[Kit, YamlFile], ...]]
    others: tuple[tuple[Kit, YamlFile], ...]

    def has(self, key: str) -> bool:
        """Whether a kit has options of a rule set."""
        return any(key in kit.options for own in (self.others, *self.by_language.values()) for kit, _ in own)


def kits(name: str) -> Kits:
    """The shipped kits, or those of a folder before them. Raises RecipeError, with file and line, for a folder without
    kits, for a file that is none, and for a language in two files."""
    shipped = _shipped()
    own = {} if name == SHIPPED else _read(Path(name))
    if name != SHIPPED and not own:
        raise RecipeError(f"no kits in {name}: expected {SHIPPED}, or a folder of files such as de.yaml")
    every = {
        language: tuple(one[language] for one in (shipped, own) if language in one)
        for language in sorted({*shipped, *own})
    }
    return Kits({language: every[language] for language in every if language}, every[""])


def has_kits(by_language: Mapping[str, Any]) -> bool:
    """Whether limits by language come from kits: then all languages that winnow has a kit for are among them."""
    return by_language.keys() >= kits(SHIPPED).by_language.keys()


@lru_cache(maxsize=1)
def _shipped() -> dict[str, tuple[Kit, YamlFile]]:
    return _read(FOLDER)


def _read(folder: Path) -> dict[str, tuple[Kit, YamlFile]]:
    """Language -> its kit; "" has that of the others."""
    found: dict[str, tuple[Kit, YamlFile]] = {}
    for file in sorted(folder.glob("*.yaml")):
        try:
            document = load_yaml(file.read_text("utf-8"), str(file))
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(f"{file}: cannot be read: {error}") from error
        kit = build(Kit, document)
        if (file.name == OTHERS) == bool(kit.languages):
            raise document.error(("languages",), f"expected none in {OTHERS}, and in any other file at least one")
        for language in kit.languages or ("",):
            if language in found:
                raise document.error(("languages",), f"{language} has a kit in {found[language][1].name} too")
            found[language] = kit, document
    return found
