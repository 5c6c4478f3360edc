"""Templates within sentences whose text is in their arguments, by language of the wiki: what they are shown as.

A dropped template takes words and numbers with it ("at a height of ."). These are shown as their pages show them,
without links, conversions and footnotes. `$1` stands for an argument, `$2/1` for the second or, where that is empty,
the first, `$all` for all in order.

Source: the documentation of each template at its wiki, `https://en.wikipedia.org/wiki/Template:NAME` (`Modèle:` in
French, `Vorlage:` in German …); parser functions: https://www.mediawiki.org/wiki/Help:Magic_words. Written down from
use, not compared with the wikis.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from curation.sources.mediawiki.measures import Arguments, as_of, chemical, converted, fraction, number, with_powers
from curation.text.html.inline_marks import raised

Form: TypeAlias = str | Callable[[Arguments], str]

_PLACE = re.compile(r"\$(all|\d)(?:/(\w+))?")

# Of every wiki, since most take over those of the English one. Names in lower case, with semicolons between them.
_COMMON: dict[Form, str] = {
    "$1": """nowrap; nobr; nobreak; small; smaller; big; larger; abbr; tooltip; ill; interlanguage link; mvar; math;
        flag; flagcountry; flagu; nts; sub; em; strong; code; tt; kbd; var; samp; smallcaps; sc; smallcaps all;
        center; quote; blockquote; cquote; quotation; bq; poemquote; ipa; iast; not a typo; as written; proper name;
        underline; u; mono; visible anchor; vanchor; noitalic; plainlist; flatlist; formatnum; lc; uc; ucfirst;
        lcfirst; chem2; linktext; gaps; url; ruby; ruby-ja; ルビ""",
    raised("$1"): "sup",
    chemical: "chem",
    "$2/text": "lang; langx; script",
    "$3/2": "transliteration; transl; translit; wikt-lang; coloredlink; font color; color; colour",
    "$all": "hlist; ubl; unbulleted list; plain list; bulleted list; einheit",
    converted: "convert; cvt; converter; conversion; 换算",
    with_powers: "unité; unite; unité/2; nombre; nb; tmp; monnaie; unidad",
    number: "val; num",
    fraction: "frac; fraction; sfrac; bruch; fracción; frazione; дробь",
    as_of: "as of",
    "×10^$1": "e",
    "10^$1": "10^",
    " – ": "snd; spnd; sndash; spaced ndash; spaced en dash",
    "–": "ndash; endash; en dash",
    "—": "mdash; emdash; em dash",
    " ": "nbsp; space; thin space; thinsp; hair space; spaces",
    " · ": "·; dot; middot; •; bullet",
    "'": "'; apostrophe",
    "'s": "'s",
    "|": "!; pipe",
    "=": "=",
    "°": "deg; degree",
    "\n": "break; br; -",
}
_BY_LANGUAGE = {  # names, with semicolons between them: form | …
    "en": """circa; c.; ca.: c. $1 | floruit; fl.: fl. $1 | reign; r.: r. $1 | lit; literally: lit. '$1' | ship: $1 $2 |
        sclass; sclass2: $1-class $2 | nihongo: $1 ($2) | us$; usd: $$1 | gbp; £; pound sterling: £$1 |
        eur; €; euro: €$1 | inr; indian rupee; ₹: ₹$1 | jpy; ¥; cny: ¥$1 | ad: AD $1 | bc: $1 BC | bce: $1 BCE |
        numero; no.: No. $1 | hms: HMS $1 | uss: USS $1 | ss: SS $1 | hmas: HMAS $1 | hmcs: HMCS $1 | rms: RMS $1 |
        mv: MV $1 | ms: MS $1 | usns: USNS $1 | sms: SMS $1 | ins: INS $1""",
    "de": """zahl; nts; s: $1 | ens: englisch $1 | frs: französisch $1 | las: lateinisch $1 | its: italienisch $1 |
        ess: spanisch $1 | russ: russisch $1 | grcs: altgriechisch $1 | "; zitat: „$1“ | höhe: $1 m | §: § $1 $2""",
    "fr": f"""date; date-; date de naissance; date de décès: $all | citation; citation bloc; « »: « $1 » |
        nobr; nobr romains; rom; rom-maj; citation étrangère; abréviation discrète; abréviation; abd: $1 |
        petites capitales; api; lien; pc: $1 | exposant; exp: {raised("$1")} |
        langue; lang: $2/texte | s; s-; siècle: $1$2 siècle |
        s2; s2-: $1$2 et $3$4 siècles | sp; sp-: $1$2 $3 $4$5 siècles | av jc; av. j.-c.: av. J.-C. |
        ap jc; apr. j.-c.: apr. J.-C. | n°; numéro: no $1 | heure: $1 h $2 | 1er: 1er | 1re: 1re | ier: Ier | e: e |
        er: er | re: re""",
    "es": """fecha: $all | esd; cita; versalita; versalitas; enlace; enlace interlingüístico: $1 | siglo: siglo $1 |
        ac; a. c.; a.c.: a. C. | dc; d. c.; d.c.: d. C.""",
    "it": "m: $1 $2/u | tutto attaccato; ta; maiuscoletto; citazione: $1 | a.c.: a.C.",
    "pt": "fmtn; fmtn/; unidade; dtlink: $all | citação: $1 | séc: século $1 | a.c.: a.C. | d.c.: d.C.",
    "ru": """s; число; кавычки; цитата; comment; год: $1 | до н. э.; до н.э.: до н. э. | н. э.; н.э.: н. э. |
        нп; нп1; нп2; нп3; нп4; нп5; не переведено; не переведено 2; не переведено 3; не переведено 5: $2/1""",
    "ja": "仮リンク; 補助漢字フォント; jis2004フォント: $1 | 読み仮名; 読み仮名 ruby不使用: $1（$2）",
    "zh": "le; link-en; link-ja; link-de; link-fr; link-ru; 僻字: $1 | tsl; translink: $3",
    "pl": "cytat: $1",
    "nl": "citaat: $1",
}


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(";")) - {""}


FOOTNOTES = _names(  # dropped as <ref> is: they leave no gap
    """citation needed; cn; fact; sfn; sfnp; efn; refn; r; rp; clarify; when; who; by whom; which; ref; note; harvnb;
    dubious; verify source; page needed; better source needed; failed verification; anchor; clear; reflist;
    short description; use dmy dates; use mdy dates; référence nécessaire; refnec; cita requerida; belege; senza fonte;
    carece de fontes; нет аи; sfn0; toc limit; coord"""
)
DISAMBIGUATION = _names(  # of the largest wikis
    """disambiguation; disambig; disamb; dab; disambiguation page; hndis; geodis; numberdis; place name disambiguation;
    begriffsklärung; homonymie; homonyme; desambiguación; desambiguacion; desambig; disambigua; desambiguação; dp;
    doorverwijspagina; ujednoznacznienie; неоднозначность; многозначность; багатозначність; aimai; 曖昧さ回避; 消歧义;
    消歧義; förgrening; 동음이의; định hướng; trang định hướng; rozcestník; anlam ayrımı; egyért; täsmennyssivu; توضيح;
    ابهام‌زدایی; פירושונים"""
)


def forms_of(language: str) -> dict[str, Form]:
    """Name of the template, in lower case -> its form; a language without a table has the common ones."""
    forms = {name: form for form, names in _COMMON.items() for name in _names(names)}
    for entry in _BY_LANGUAGE.get(language, "").split(" |"):
        names, _, form = entry.rpartition(":")
        forms |= dict.fromkeys(_names(names), form.strip())
    return forms


def shown(form: Form, arguments: Arguments) -> str:
    """The text in the template's place; empty where it says nothing."""
    if callable(form):
        return form(arguments)
    values = {**arguments, "all": " ".join(value for key, value in arguments.items() if key.isdigit() and value)}
    return _PLACE.sub(lambda place: values.get(place[1]) or values.get(place[2] or "", ""), form)
