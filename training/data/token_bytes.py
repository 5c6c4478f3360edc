"""The bytes of text that each token of a tokenizer.json stands for, by which losses become bits per byte.

A token has the bytes that its name spells. Special tokens have none, because text never becomes one, nor has the token
for unknown text, of which nothing is known. Where the tokenizer puts a space before each document, the end of text
takes it back. An added word may also stand for a space before it, or get one behind it: it is measured between others.

A tokenizer that drops or rewrites characters (WordPiece, NFKC, accents, runs of spaces) does not show what its tokens
stand for; neither does one with added words that swallow any number of spaces. NFC counts as keeping all characters,
because nearly all text on the web is in that form already.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from curation.core.token_names import bytes_of_tokens, reader_of
from curation.core.tokenizer_template import model_vocabulary
from training.batch import Ids

# A tokenizer that keeps every byte gives these back: runs of spaces, line ends, accents, wide signs, ligatures.
PROBES = ("Ab", "a  b", "a\tb", "a\n\n b ", "é", "a，b", "ﬁ")
EMPTY = {"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}


def sizes_of_tokens(stated: Mapping[str, Any], vocabulary: int, end_of_text: int | None = None) -> Ids | None:
    """int64[V] for V = `vocabulary`; `end_of_text`: the id that ends each document. None for a tokenizer that does not
    show it."""
    pieces = model_vocabulary(stated)
    added = stated.get("added_tokens") or ()
    words = [token for token in added if not token.get("special")]
    prefix = _bytes_before_text(stated) if pieces else None
    if prefix is None or any(token.get("lstrip") or token.get("rstrip") for token in words):
        return None
    sizes = np.zeros(vocabulary, np.int64)
    for number, content in bytes_of_tokens(stated).items():
        sizes[number] = len(content)
    model = stated["model"]
    unknown = pieces.get(model.get("unk_token"), model.get("unk_id"))
    sizes[[token["id"] for token in added if token.get("special")]] = 0
    sizes[[] if unknown is None else [unknown]] = 0
    if prefix and words:
        _measure(words, stated, sizes, prefix)
    if end_of_text is not None:
        sizes[end_of_text] = -prefix
    return sizes


def _bytes_before_text(stated: Mapping[str, Any]) -> int | None:
    """The bytes that the tokenizer puts before a text. None if it changes text in other ways."""
    steps = {name: stated.get(name) for name in ("normalizer", "pre_tokenizer")}
    library = Tokenizer.from_str(json.dumps({**EMPTY, **steps}))
    read = reader_of(stated)
    found = set()
    for text in PROBES:
        normal = library.normalizer.normalize_str(text) if library.normalizer else text
        parts = library.pre_tokenizer.pre_tokenize_str(normal) if library.pre_tokenizer else [(normal, ())]
        found.add(sum(len(read(part)) for part, _ in parts) - len(text.encode()))
    return found.pop() if len(found) == 1 and min(found) >= 0 else None


def _measure(words: list[Mapping[str, Any]], stated: Mapping[str, Any], sizes: Ids, prefix: int) -> None:
    """Sets the sizes of added words to what is missing of a text in which they stand between two others."""
    library = Tokenizer.from_str(json.dumps(stated))
    library.encode_special_tokens = True

    def missing(text: str, left_out: int | None = None) -> int:
        ids = library.encode(text, add_special_tokens=False).ids
        return len(text.encode()) + prefix - sum(int(sizes[number]) for number in ids if number != left_out)

    for word in words if not missing("a a") else ():
        text = f"a {word['content']} a"
        if library.encode(text, add_special_tokens=False).ids.count(word["id"]) == 1:
            sizes[word["id"]] = max(0, missing(text, word["id"]))
