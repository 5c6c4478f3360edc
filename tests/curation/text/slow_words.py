"""The slow, obvious reading of a word in `folded_words`, for the tests of what counts them."""

import re
import unicodedata

from curation.text.kernels.unicode import PUNCTUATION, SPACE, SYMBOL, class_of, classes

_ALONE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def folded_words(text: str) -> list[str]:
    """The words of a text, folded."""
    pieces = []
    for char in text:
        if class_of(classes(), ord(char)) & (SPACE | PUNCTUATION | SYMBOL):
            pieces.append(" ")
        elif unicodedata.category(char) == "Nd":
            pieces.append(f" {0} " if _ALONE.match(char) else "0")
        else:
            lower = char.lower()[0]
            pieces.append(f" {lower} " if _ALONE.match(char) else lower)
    return [word for word in "".join(pieces).split(" ") if word]
