"""Templates of the English Wiktionary, whose names mean other things elsewhere: words, their origins, translations.

Source: https://en.wiktionary.org/wiki/Template:inh and of the same form Template:m, Template:t, Template:affix,
Template:label, Template:plural_of; https://en.wiktionary.org/wiki/Wiktionary:List_of_languages.
"""

import re

from curation.sources.documents.mediawiki.measures import Arguments, positional
from curation.sources.documents.mediawiki.templates import Form

_LANGUAGES = dict(
    entry.strip().split("=")
    for entry in """
    ang=Old English; ar=Arabic; arc=Aramaic; ca=Catalan; cel-pro=Proto-Celtic; cs=Czech; da=Danish; de=German;
    dum=Middle Dutch; el=Greek; en=English; enm=Middle English; es=Spanish; fa=Persian; fi=Finnish;
    fr=French; frk=Frankish; frm=Middle French; fro=Old French; frp=Franco-Provençal; fy=West Frisian;
    ga=Irish; gem-pro=Proto-Germanic; gmh=Middle High German; gml=Middle Low German; gmq-osw=Old Swedish;
    gmw-pro=Proto-West Germanic; goh=Old High German; got=Gothic; grc=Ancient Greek; he=Hebrew; hi=Hindi;
    hu=Hungarian; ine-pro=Proto-Indo-European; is=Icelandic; it=Italian; ja=Japanese; ko=Korean; la=Latin;
    lt=Lithuanian; lv=Latvian; nb=Norwegian Bokmål; nl=Dutch; nn=Norwegian Nynorsk; no=Norwegian; non=Old
    Norse; odt=Old Dutch; ofs=Old Frisian; osx=Old Saxon; pl=Polish; pro=Old Occitan; pt=Portuguese;
    ro=Romanian; ru=Russian; sa=Sanskrit; sco=Scots; sla-pro=Proto-Slavic; sv=Swedish; tr=Turkish;
    xno=Anglo-Norman; zh=Chinese""".split(";")
)
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,3}){0,2}")


def _word(arguments: Arguments, *, after: int) -> str:
    """`la|liber||book` -> "liber (“book”)": a word behind some arguments, as it is shown, with its meaning."""
    values = [*positional(arguments)[after:], "", "", ""]
    shown = arguments.get("alt") or values[1] or values[0]
    meaning = arguments.get("t") or arguments.get("gloss") or values[2]
    return f"{shown} (“{meaning}”)" if shown and meaning else shown


def _language(arguments: Arguments) -> str:
    """`la|en` -> "Latin"."""
    return _LANGUAGES.get(arguments.get("1", ""), "")


def _link(arguments: Arguments) -> str:
    return _word(arguments, after=0 if "lang" in arguments else 1)


def _cognate(arguments: Arguments) -> str:
    """`de|Buch` -> "German Buch"."""
    return f"{_LANGUAGES.get(arguments.get('1', ''), '')} {_word(arguments, after=1)}".strip()


def _origin(arguments: Arguments) -> str:
    """`en|ang|bōc` -> "Old English bōc"."""
    return f"{_LANGUAGES.get(arguments.get('2', ''), '')} {_word(arguments, after=2)}".strip()


def _translation(arguments: Arguments) -> str:
    """`de|Buch|n` -> "Buch"."""
    return arguments.get("alt") or arguments.get("2", "")


def _parts(arguments: Arguments) -> str:
    """`en|a-|flare` -> "a- + flare"."""
    values = positional(arguments)
    return " + ".join(filter(None, values[1:] if values and _CODE.fullmatch(values[0]) else values))


def _label(arguments: Arguments) -> str:
    """`en|literally|or|figuratively` -> "(literally or figuratively)"."""
    values = positional(arguments)
    words = values[1:] if values and _CODE.fullmatch(values[0]) else values
    shown = ", ".join(filter(None, words)).replace(", or, ", " or ").replace(", and, ", " and ").replace(", _, ", " ")
    return f"({shown})" if shown else ""


_FORMS: dict[Form, str] = {
    _translation: "t; t+; tt; tt+; t-check; t+check; t-simple; t-needed",
    "$2": "ux; usex; uxi; ux-lite",
    "$7/passage/text": "quote-book; quote-journal; quote-text; quote-web; quote-song; quote-av",
    "$2/1": "w",
    "...": "...; nb...",
    "$1": "non-gloss definition; n-g; non-gloss; unsupported",
    _language: "etyl",
    _link: "l; ll; m; mention; link; term; m+; l-self; m-self; vern",
    _cognate: "cog; cognate; noncog; nc",
    _origin: "inh; inh+; inherited; der; der+; derived; bor; bor+; borrowed; lbor; uder; ubor; slbor; cal",
    _parts: "affix; af; suffix; suf; prefix; pre; compound; com; confix; con; blend; univerbation; surf; doublet",
    _label: "lb; lbl; label; qualifier; qual; q; i; gloss; gl; sense; s; a; accent; qf",
}
FORMS = {name.strip(): form for form, names in _FORMS.items() for name in names.split(";")}


def form_of(name: str) -> Form | None:
    """The form of a template by its name in lower case; "plural of" and the like are shown with their word."""
    if name.endswith(" of"):
        return lambda arguments: f"{name} {_link(arguments)}".rstrip()
    return FORMS.get(name)
