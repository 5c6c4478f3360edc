"""Unicode cleaning: repair mojibake, remove control characters, compose characters, disarm special-token strings.

The steps run in this order, each on the result of the step before. All kinds of line breaks become line feeds. With the
control characters go the invisible ones that carry no meaning: soft hyphens, zero-width spaces, marks of direction,
tags and all else that Unicode calls default-ignorable. Joiners stay where a script or an emoji uses them, and so do
variation selectors, the zero-width spaces of scripts without others and what `curation/text/edits/invisible.py` lists.
A tokenizer's special token gets blanks inside its punctuation, such as <| endoftext |> or [ MASK ]: still legible, but
no longer a token. Bytes that are not UTF-8 become U+FFFD.

Source: Speer 2019, "ftfy" (doi:10.5281/zenodo.2591652), only its repairs of encodings; Unicode Standard Annex 15 and
the property Default_Ignorable_Code_Point. The order, the characters and the strings are our choices. Marks of direction
go also where directions mix: they order what is displayed, and the text is in the order in which it is read. A second
run changes nothing, unless the first one joined characters into new mojibake, or a compatibility form took the
character away that an invisible one belonged to.

The counts per document are U+FFFD inserted (`invalid_bytes`), lines repaired (`mojibake_fixed`), control and invisible
characters removed or turned into line feeds (`control_characters`), lines composed (`normalized_lines`), quotes and
punctuation straightened, and special tokens. `characters_changed` sums all of them in characters: for a repaired or
composed line, from the first to the last that differs; inserted blanks included.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.protocols import Rewriter
from curation.text.edits.characters import exchanged, substituted, valid_utf8
from curation.text.edits.invisible import without_invisible
from curation.text.edits.line_edits import count_changed, replaced
from curation.text.edits.mark_order import Form
from curation.text.edits.mojibake import repaired, suspect_lines
from curation.text.edits.normal_forms import normalized_lines, unnormal_lines
from curation.text.kernels.buffers import Indices
from curation.text.spans import TextSpans

CONTROL_CHARACTERS = {
    **dict.fromkeys(map(chr, (*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0))), ""),
    **dict.fromkeys("\v\f\r\x85\u2028\u2029", "\n"),
    **dict.fromkeys(map(chr, range(0xFFF9, 0xFFFD)), ""),  # interlinear annotation, place of an embedded object
}
STRAIGHT = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f", " "),
}
SPECIAL_TOKENS = tuple(
    """
    <|endoftext|> <|begin_of_text|> <|end_of_text|> <|eot_id|> <|pad|> <|im_start|> <|im_end|> <|system|> <|user|>
    <|assistant|> <|end|> <|start_header_id|> <|end_header_id|> <start_of_turn> <end_of_turn> [INST] [/INST]
    <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <s> </s> <bos> <eos> <pad> <unk> <mask> [CLS] [SEP] [PAD] [UNK] [MASK]
    """.split()
)
COUNTS = (
    "invalid_bytes",
    "mojibake_fixed",
    "control_characters",
    "normalized_lines",
    "straightened",
    "special_tokens",
    "characters_changed",
)


@dataclass(frozen=True, kw_only=True)
class Unicode(Rewriter):
    """Which edits are made; all except straightening are on by default."""

    mojibake: Annotated[bool, "repair text that was decoded by the wrong encoding"] = True
    form: Annotated[Form | Literal["none"], "how characters are composed, by Unicode; none: as they are"] = "NFC"
    control_characters: Annotated[bool, "remove them, and invisible characters without a meaning"] = True
    straight_punctuation: Annotated[bool, "quotes, dashes, ellipses and blanks become ASCII"] = False
    special_tokens: Annotated[tuple[str, ...], "strings that get blanks inside"] = SPECIAL_TOKENS

    version: ClassVar[int] = 2
    idempotent: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for token in self.special_tokens:
            if disarmed(token) == token:
                raise RecipeError(f"no blank fits into the special token {token!r}; give one like <|name|>")

    def signal_types(self) -> Signals:
        """A count for each edit, and of all characters changed."""
        return dict.fromkeys(COUNTS, pa.int64())

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (large_string[N], {count: int64[N]})."""
        text, invalid = valid_utf8(batch.column("text"))
        counts = dict.fromkeys(COUNTS, np.zeros(len(text), np.int64))
        counts["invalid_bytes"] = invalid
        changed = invalid
        if self.mojibake:
            text, counts["mojibake_fixed"], characters = _with_lines(text, suspect_lines(text), repaired)
            changed = changed + characters
        if self.control_characters:
            text, controls = exchanged(text, CONTROL_CHARACTERS)
            text, unseen = without_invisible(text)
            counts["control_characters"] = controls + unseen
        if self.form != "none":
            edit = partial(normalized_lines, form=self.form)
            text, counts["normalized_lines"], characters = _with_lines(text, unnormal_lines(text, self.form), edit)
            changed = changed + characters
        if self.straight_punctuation:
            text, counts["straightened"] = exchanged(text, STRAIGHT)
        changed = changed + counts["control_characters"] + counts["straightened"]
        tokens = self.special_tokens
        text, counts["special_tokens"] = substituted(text, tokens, [disarmed(token) for token in tokens])
        counts["characters_changed"] = changed + 2 * counts["special_tokens"]
        return text, {name: pa.array(counted) for name, counted in counts.items()}


def disarmed(token: str) -> str:
    """The token with a blank inside the punctuation on either side; unchanged if a side has none."""
    name = token.strip("".join(itertools.filterfalse(str.isalnum, token)))
    begin = token.find(name)
    end = begin + len(name)
    return f"{token[:begin]} {name} {token[end:]}" if name and begin > 0 and end < len(token) else token


def _with_lines(
    text: pa.Array, lines: TextSpans, edit: Callable[[TextSpans], pa.Array]
) -> tuple[pa.Array, Indices, Indices]:
    """(text[N] with the lines edited, int64[N] lines changed, int64[N] characters changed)."""
    if not len(lines.starts):
        return text, np.zeros(len(text), np.int64), np.zeros(len(text), np.int64)
    edited = edit(lines)
    changed = count_changed(lines, edited)
    return replaced(text, lines, edited), lines.total(changed > 0), lines.total(changed)
