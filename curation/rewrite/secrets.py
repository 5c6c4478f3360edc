"""Takes keys, tokens and passwords out of code and text; nothing else changes.

    - rewrite: {secrets: {}}                                            # <AWS_ACCESS_KEY>, by winnow's own rules
    - rewrite: {secrets: {rules: [gitleaks.toml], embedded: false}}     # by those of gitleaks, from a file

Source: the providers' documentation, see `curation.models.secrets.own_rules`; github.com/gitleaks/gitleaks for its
rules, which mean what they mean there: keywords, entropy, groups, paths and allowlists. The path is that of the URL.
Choices: of findings that overlap the whole is replaced, as the kind that says whose secret it is. See
`curation.models.redaction.redacts` for what takes their place, and `curation.models.secrets.gitleaks` for what is left
out.

The counts per document are the secrets found by kind. `spans` says where they were in the old text; its score is the
secret's entropy in bits per character. With winnow's own rules a second run finds no placeholder; with gitleaks' it may
find a word next to one, because they take `KEY>` for an assignment.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import pyarrow as pa

from curation.core.component import Files
from curation.core.errors import RecipeError
from curation.models.redaction.alike import alike
from curation.models.redaction.keyed import KeyedDraws
from curation.models.redaction.redacts import Redacts
from curation.models.secrets.finder import Finder
from curation.models.secrets.gitleaks import read_rules
from curation.models.secrets.own_rules import own_rules

_PREFIX = re.compile(r"(?:[A-Za-z]{2,6}[_-](?:[a-z0-9]{2,6}[_-])?|AKIA|ASIA|ABIA|ACCA|AIza|eyJ|SG\.|SK)?")


@dataclass(frozen=True, kw_only=True)
class Secrets(Redacts):
    """Rules that find secrets, and what is done with them."""

    rules: Annotated[tuple[str, ...], "paths or URIs of gitleaks' TOML files"] = ()
    embedded: Annotated[bool, "use winnow's own rules too, before those"] = True

    reads: ClassVar[tuple[str, ...]] = ("text", "url")
    version: ClassVar[int] = 3
    idempotent: ClassVar[bool] = True  # with winnow's own rules and placeholders

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rules and not self.embedded:
            raise RecipeError("rules: nothing to find secrets by; give a file of gitleaks' rules, or embedded: true")

    def assets(self) -> Mapping[str, Files]:
        """The files of rules. Raises InputError for one that is missing or cannot be kept to, RecipeError for an action
        on a kind that none of them finds."""
        self.kinds()
        self.check_actions()
        return {"rules": self.rules}

    def notes(self) -> tuple[str, ...]:
        """The rules that name files instead of texts."""
        ids = [name for file in self.rules for name in read_rules(file).of_files]
        return (f"left out, as they name files and not texts: {', '.join(ids)}",) if ids else ()

    def kinds(self) -> tuple[str, ...]:
        return _finder(self.rules, self.embedded).kinds

    def find(self, batch: pa.RecordBatch) -> pa.Array:
        return _finder(self.rules, self.embedded).find(batch.column("text"), batch.column("url"))

    def find_words(self, words: pa.Array) -> pa.Array:
        return _finder(self.rules, self.embedded).find(words, pa.nulls(len(words), pa.string()))

    def surrogate(self, value: str, kind: str, key: KeyedDraws) -> str:
        """Other letters and digits, after the letters by which a provider's keys are known."""
        prefix = _PREFIX.match(value)
        return alike(value, kind, key, keep=prefix.end() if prefix else 0)


@lru_cache(maxsize=4)
def _finder(rules: tuple[str, ...], embedded: bool) -> Finder:
    return Finder([*([own_rules()] if embedded else []), *map(read_rules, rules)])
