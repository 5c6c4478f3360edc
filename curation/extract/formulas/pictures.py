"""The TeX of a picture of a formula: its `alt`, or what the address asks the renderer for."""

import re
from urllib.parse import unquote_plus

from curation.extract.declared import attributes
from curation.extract.formulas.tex import MAX_CHARACTERS

_RENDERER = re.compile(
    r"codecogs\.com/(?:gif|png|svg|emf|pdf)|latex\.php\?|(?:math|mime)tex(?:\.cgi|\.php)?\?|/math/render/|/media/math/",
    re.IGNORECASE,
)
_UPLOADED = re.compile(r"/wp-content(/[^\s\"']*)", re.IGNORECASE)  # a renderer's if a later part begins with "latex"
_ASKED = re.compile(
    r"codecogs\.com/[a-z]+\.(?:latex|image|download)\?(.*)|latex\.php\?(?:.{0,500}&)?latex=([^&]*)"
    r"|(?:math|mime)tex(?:\.cgi|\.php)?\?(.*)",
    re.IGNORECASE | re.DOTALL,
)
_CLASS = re.compile(r"(?:^|[\s_-])(?:tex|latex|math|mathtex|mathjax|katex)(?:$|[\s_-])", re.IGNORECASE)
_SIGN = re.compile(r"[\\^_{}=+<>|\u0391-\u03c9\u2200-\u22ff]")
_WORD = re.compile(r"[^\W\d]{4}")
_SETTING = re.compile(r"^\\(?:dpi\{\d+\}|(?:inline|fn_[a-z]+|bg_[a-z]+|large|Large|LARGE|huge)(?![a-zA-Z]))\s*")


def tex_of_picture(tag: bytes) -> str | None:
    """The TeX that an `<img>` tag shows, None for any other picture."""
    if len(tag) > 2 * MAX_CHARACTERS:
        return None
    stated = attributes(tag)
    source = stated.get("src", "") or stated.get("data-src", "")
    uploaded = any("/latex" in path[1].lower() for path in _UPLOADED.finditer(source))
    rendered = uploaded or _RENDERER.search(source) is not None
    if not rendered and not _CLASS.search(stated.get("class", "")):
        return None
    alt = stated.get("alt", "")
    if alt and (rendered or _is_tex(alt)) and not alt.startswith(("http:", "https:")):
        return _set(alt)
    asked = _ASKED.search(source)
    return _set(unquote_plus(next(filter(None, asked.groups()), "")).replace("&space;", " ")) or None if asked else None


def _is_tex(alt: str) -> bool:
    """Whether a text is a formula and no description: a sign that words do not have, or no word."""
    return _SIGN.search(alt) is not None or _WORD.search(alt) is None


def _set(tex: str) -> str:
    """TeX without what tells a renderer about size and colours."""
    while setting := _SETTING.match(tex):
        tex = tex[setting.end() :]
    return tex
