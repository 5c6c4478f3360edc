"""Chooses the tokens that begin and end each document.

`auto` follows what the tokenizer's files say, and refuses where they do not:

    begin  the token that the template of a tokenizer.json puts before a text, none if it puts none. Of a SentencePiece
           model, which has no template, what tokenizer_config.json says.
    end    the token that the template puts behind a text; else the end-of-text of the files beside the tokenizer, or of
           the SentencePiece model; else the partner of the begin (`</s>` of `<s>`); else the only special token with
           one of the names in ENDS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from curation.core.close_names import nearest
from curation.core.errors import InputError
from curation.core.tokenizer_template import Template
from curation.tokens.encoders.special_tokens import END_OF_TEXT
from curation.tokens.encoders.tokenizer_settings import CONFIG, TokenizerSettings

AUTO = "auto"
NONE = "none"
PARTNERS = {  # begin of text -> end of text
    "<s>": "</s>",
    "<bos>": "<eos>",
    "<|bos|>": "<|eos|>",
    "[BOS]": "[EOS]",
    "[CLS]": "[SEP]",
    "<|begin_of_text|>": "<|end_of_text|>",
    "<|startoftext|>": END_OF_TEXT,
    "<｜begin▁of▁sentence｜>": "<｜end▁of▁sentence｜>",
}
ENDS = (END_OF_TEXT, "<|end_of_text|>", "</s>", "<eos>", "<|eos|>", "[EOS]", "<｜end▁of▁sentence｜>")


@dataclass(frozen=True, kw_only=True)
class StatedEnds:
    """What a tokenizer says of the tokens around a text. `file` names it in messages; `ids` of all tokens by name."""

    file: str
    ids: Mapping[str, int]
    special: Sequence[str]  # names of special tokens
    template: Template | None  # None: the file has no place for one
    named_begin: str | None = None  # of a file that names them instead
    named_end: str | None = None
    padding: str | None = None
    beside: TokenizerSettings = field(default_factory=TokenizerSettings)


def begin_of(stated: StatedEnds, wanted: str) -> int | None:
    """The id that begins each document; None: it begins with its text. Raises InputError for a token that is not there,
    and for `auto` where the files do not say it or disagree."""
    if wanted == NONE:
        return None
    if wanted != AUTO:
        return _id(stated, "begin", wanted)
    return _of_template(stated, stated.template) if stated.template is not None else _of_model(stated)


def end_of(stated: StatedEnds, wanted: str, begin: int | None) -> int:
    """The id that ends each document, one of which begins with `begin`. Raises InputError as `begin_of`."""
    if wanted != AUTO:
        return _id(stated, "end", wanted)
    behind = stated.template.ends if stated.template is not None else ()
    if len(behind) > 1:
        raise InputError(
            f"{stated.file} puts {len(behind)} tokens behind a text ({', '.join(behind)}), and a document ends with "
            "one; write `end: TOKEN` in `tokenize`"
        )
    for name in (*behind, stated.beside.end, stated.named_end):
        if name is not None:
            return _id(stated, "end", name)
    partner = "" if begin is None else PARTNERS.get(_name(stated, begin), "")
    return stated.ids[partner if partner in stated.ids else _known_end(stated)]


def _of_template(stated: StatedEnds, template: Template) -> int | None:
    before = template.begins
    says = stated.beside.adds_begin
    if len(before) > 1:
        raise InputError(
            f"{stated.file} puts {len(before)} tokens before a text ({', '.join(before)}), and a document begins with "
            "one at most; write `begin: TOKEN` or `begin: none` in `tokenize`"
        )
    if says is not None and says != bool(before):
        token = before[0] if before else _name(stated, stated.beside.begin)
        adds = f"puts {token} before a text" if before else "puts no token before a text"
        raise InputError(
            f"{stated.file} {adds}, but by {CONFIG} beside it {'one is' if says else 'none is'} added; write "
            f"{_quoted(token)} or `begin: none` in `tokenize`"
        )
    return _id(stated, "begin", before[0]) if before else None


def _of_model(stated: StatedEnds) -> int | None:
    says = stated.beside.adds_begin
    token = stated.named_begin if stated.beside.begin is None else stated.beside.begin
    if says is False or (stated.named_begin is None and not says):
        return None
    if says is None or token is None:
        name = _name(stated, token)
        there = f"the begin-of-text {name}, and nothing says whether" if name else "no begin-of-text, but by its config"
        raise InputError(
            f"{stated.file} has {there} documents begin with it; write {_quoted(name)} or `begin: none` in `tokenize`"
        )
    return _id(stated, "begin", token)


def _quoted(token: str) -> str:
    return f'`begin: "{token}"`' if token else "`begin: TOKEN`"


def _name(stated: StatedEnds, token: str | int | None) -> str:
    """Of a token by its name or id; empty if there is none."""
    return next((name for name, number in stated.ids.items() if token in (name, number)), "")


def _id(stated: StatedEnds, option: str, token: str | int) -> int:
    if name := _name(stated, token):
        return stated.ids[name]
    hint = nearest(str(token), list(stated.special)) or f"; write `{option}: TOKEN` with one that it has"
    raise InputError(f"{option}: {stated.file} has no token {token!r}{hint}")


def _known_end(stated: StatedEnds) -> str:
    """The only token of ENDS: among special tokens, or if there is none among all; not the one that is for padding if
    there are others."""
    known = [name for name in ENDS if name in stated.special] or [name for name in ENDS if name in stated.ids]
    padding = {stated.padding, stated.beside.padding}
    known = [name for name in known if not {name, stated.ids[name]} & padding] or known
    if len(known) > 1:
        raise InputError(
            f"{stated.file} has several tokens that may end a document ({', '.join(known)}), and nothing says which; "
            f'write `end: "{known[0]}"` or another of them in `tokenize`'
        )
    if not known:
        raise InputError(
            f"{stated.file} has no end-of-text token ({' or '.join(ENDS)}); write `end: TOKEN` in `tokenize`, or add "
            "one as a special token"
        )
    return known[0]
