"""The base of a rewriter that takes values out of texts: which become a placeholder, a surrogate, or nothing.

    - rewrite: {secrets: {action: placeholder, actions: {jwt: remove}}}
    - rewrite: {secrets: {action: surrogate, key: {file: /run/secrets/redaction}, key_id: "2026-11"}}

placeholder   <EMAIL>, <AWS_ACCESS_KEY>: the kind in capitals
surrogate     a value that looks alike (`surrogates`); the same value has the same surrogate in every document
remove        nothing; the text around it closes

A second run finds no placeholder. It finds surrogates and leaves most as they are, see `alike` and `phone`. What a
removal brings together may be a value again, and a placeholder beside a value may hide or show another one, so nothing
is promised there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.close_names import nearest
from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.protocols import Redacting
from curation.core.storage_options import Secret
from curation.models.redaction.alike import alike
from curation.models.redaction.keyed import KeyedDraws, encoded, key_at, read_key
from curation.models.redaction.surrogates import MAKERS
from curation.models.redaction.urls import redacted_urls, strings
from curation.text.edits.line_edits import replaced, texts_of
from curation.text.edits.redaction import SPANS, count_kinds, placed

Action = Literal["placeholder", "surrogate", "remove"]


@dataclass(frozen=True, kw_only=True)
class Redacts(Redacting):
    """What is done with the values found; a subclass finds them and defines `kinds` and `find`."""

    action: Annotated[Action, "what takes a value's place"] = "placeholder"
    actions: Annotated[Mapping[str, Action], "by kind, where it differs"] = field(default_factory=dict)
    key: Annotated[Secret | None, "{file: PATH} or {env: NAME}: what surrogates depend on"] = None
    key_id: Annotated[str, "a name for the key; enters addresses in its place"] = ""

    def __post_init__(self) -> None:
        surrogates = "surrogate" in (self.action, *self.actions.values())
        if surrogates and (self.key is None or not self.key_id):
            raise RecipeError(
                'surrogates depend on a key: give key: {file: PATH} or {env: NAME}, and key_id: "any name for it"'
            )
        if not surrogates and (self.key is not None or self.key_id):
            raise RecipeError("key and key_id have an effect only on surrogates; remove them, or set action: surrogate")

    def kinds(self) -> tuple[str, ...]:
        """The kinds that may be found, each a word of a-z, 0-9 and _."""
        raise NotImplementedError

    def find(self, batch: pa.RecordBatch) -> pa.Array:
        """SPANS[N] (`curation.text.edits.redaction`) of the documents' texts."""
        raise NotImplementedError

    def surrogate(self, value: str, kind: str, key: KeyedDraws) -> str:
        """What looks like the value."""
        return MAKERS.get(kind, alike)(value, kind, key)

    def check_key(self) -> None:
        """Raises InputError if the key is missing, too short, or in a file that everyone may read."""
        if self.key is not None:
            read_key(self.key)

    def check_actions(self) -> None:
        """Raises RecipeError for a kind in `actions` that is never found."""
        for kind in self.actions:
            if kind not in self.kinds():
                raise RecipeError(f"actions: no kind {kind!r}{nearest(kind, self.kinds())}")

    def signal_types(self) -> Signals:
        """A count for each kind, and the spans."""
        return {**dict.fromkeys(self.kinds(), pa.int64()), "spans": SPANS}

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (large_string[N], {kind: int64[N], how many were found; "spans": SPANS[N], where in
        the text as it was})."""
        text = batch.column("text")
        spans = self.find(batch)
        counts = {kind: pa.array(found) for kind, found in count_kinds(spans, self.kinds()).items()}
        return self._redacted(text, spans), {**counts, "spans": spans}

    def urls(self, urls: pa.Array) -> pa.Array:
        """string[N]: URLs without the values found in them (`curation.models.redaction.urls`). What is removed
        elsewhere leaves a placeholder here, so that it can be seen that something went."""
        return redacted_urls(urls, self._redacted_words)

    def words(self, texts: pa.Array) -> pa.Array:
        """string[N]: short texts of no known language without the values found in them; as `urls`."""
        words = pc.drop_null(texts).cast(pa.large_binary()).to_pylist()
        made = self._redacted_words([word.decode("utf-8", "surrogateescape") for word in words])
        return pc.replace_with_mask(texts, texts.is_valid(), strings(made, texts.type))

    def find_words(self, words: pa.Array) -> pa.Array:
        """SPANS[N] of large_string[N], short texts of no known language, such as the value of a parameter."""
        return self.find(pa.record_batch({"text": words}))

    def _redacted_words(self, words: Sequence[str]) -> Sequence[str]:
        distinct = list(dict.fromkeys(words))
        text = strings(distinct, pa.large_string())
        made = self._redacted(text, self.find_words(text), visible=True).view(pa.large_binary()).to_pylist()
        by_word = dict(zip(distinct, (word.decode("utf-8", "surrogateescape") for word in made), strict=True))
        return [by_word[word] for word in words]

    def _redacted(self, text: pa.Array, spans: pa.Array, *, visible: bool = False) -> pa.Array:
        values = placed(text, spans)
        kinds = pc.struct_field(pc.list_flatten(spans), "kind").dictionary_encode()
        names = kinds.dictionary.to_pylist()
        by_kind = [self._fixed(name, visible=visible) for name in names]
        new = pa.array(by_kind, pa.large_string()).take(kinds.indices)
        if new.null_count:
            new = self._with_surrogates(new, texts_of(values), kinds.indices, names)
        return replaced(text, values, new)

    def _fixed(self, kind: str, *, visible: bool) -> str | None:
        """What takes the place of every value of the kind; None for surrogates."""
        fixed = {"placeholder": placeholder(kind), "remove": placeholder(kind) if visible else "", "surrogate": None}
        return fixed[self.actions.get(kind, self.action)]

    def _with_surrogates(self, new: pa.Array, values: pa.Array, kinds: pa.Array, names: Sequence[str]) -> pa.Array:
        """`new` with the nulls filled by the surrogates of the values. Each distinct value is worked on once."""
        assert self.key is not None
        key = key_at(self.key)
        missing = new.is_null()
        pairs = zip(values.filter(missing).cast(pa.large_binary()).to_pylist(), kinds.filter(missing), strict=True)
        made: dict[tuple[bytes, int], bytes] = {}
        surrogates = []
        for value, number in ((value, number.as_py()) for value, number in pairs):
            if (value, number) not in made:
                kind = names[number]
                made[value, number] = encoded(self.surrogate(value.decode("utf-8", "surrogateescape"), kind, key))
            surrogates.append(made[value, number])
        filled = pa.array(surrogates, pa.large_binary())
        return pc.replace_with_mask(new.view(pa.large_binary()), missing, filled).view(pa.large_string())


def placeholder(kind: str) -> str:
    return f"<{kind.upper()}>"
