"""Templates within sentences whose text is in their arguments, by language of the wiki: what they are shown as.

A dropped template takes words and numbers with it ("at a height of ."). These are shown as their pages show them,
without links, conversions and footnotes. `$1` stands for an argument, `$2/1` for the second or, where that is empty,
the first, `$1/text/quote` for the first of three that is not empty, `$all` for all in order.

Source: the documentation of each template at its wiki, `https://en.wikipedia.org/wiki/Template:NAME` (`Modèle:` in
French, `Vorlage:` in German …); parser functions: https://www.mediawiki.org/wiki/Help:Magic_words. Written down from
use, not compared with the wikis.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from curation.sources.documents.mediawiki.measures import (
    Arguments,
    as_of,
    chemical,
    converted,
    dated,
    formula,
    fraction,
    number,
    with_powers,
)
from curation.sources.documents.mediawiki.readings import chinese, japanese, korean, letters, pronounced, respelled
from curation.text.html.inline_marks import raised

Form: TypeAlias = str | Callable[[Arguments], str]

_PLACE = re.compile(r"\$(?:all|\d)(?:/\w+)*")

# Of every wiki, since most take over those of the English one. Names in lower case, with semicolons between them.
_COMMON: dict[Form, str] = {
    "$1": """nowrap; nobr; nobreak; small; smaller; big; larger; large; abbr; abbrlink; tooltip; ill; interlanguage
        link; mvar; math; flag; flagcountry; flagu; nts; sub; em; strong; code; tt; kbd; var; samp; smallcaps; sc;
        smallcaps all; allcaps; center; ipachar; iast; polytonic; unicode; not a typo; as written; proper name;
        underline; u; mono; serif; visible anchor; vanchor; noitalic; plainlist; flatlist; formatnum; lc; uc;
        ucfirst; lcfirst; linktext; url; ruby; ruby-ja; ルビ; angbr; angle bracket; nihongo2; color box; native
        name; native phrase; script/hebrew; script/arabic; taxlink; vern; ltr; rtl-lang""",
    "$1/text/quote": """quote; blockquote; cquote; quotation; bq; poemquote; rquote; quote box; centered pull
        quote; pull quote; block indent""",
    raised("$1"): "sup",
    chemical: "chem; chem/link",
    formula: "chem2",
    "$all": """hlist; ubl; unbulleted list; plain list; bulleted list; einheit; gaps; csv; comma separated entries;
        ordered list""",
    "$2/text": "lang; langx; script; langn; lang-zh-tw",
    "$3/2": "transliteration; transl; translit; wikt-lang; coloredlink; font color; color; colour",
    "$2/1": "sort; audio; link audio; iw",
    "$1 $2": "sortname; currency",
    "$1–$2": "dash year; ndash range",
    pronounced: "ipa; ipalink; ipa link; api; afi; мфа",
    letters: "ipac-en; ipac-de; ipac-fr; ipac-pl; ipac-cmn; ipac-yue",
    respelled: "respell",
    japanese: "nihongo; nihongo krt; nihongo foot",
    "$3 ($2)": "nihongo3",
    chinese: "zh; lang-zh; zh-full",
    korean: "korean; ko-hhrm",
    dated: """dts; start date; end date; start date and age; end date and age; birth date; death date; birth date
        and age; death date and age; birth-date; death-date; birth-date and age; bda; film date; release date;
        start-date""",
    "ISBN $1": "isbn",
    "ISSN $1": "issn",
    "[sic]": "sic",
    "†": "dagger; †",
    "√$1": "sqrt; radic",
    converted: "convert; cvt; converter; conversion; 换算",
    with_powers: "unité; unite; unité/2; nombre; nb; tmp; monnaie; unidad",
    number: "val; num",
    fraction: "frac; fraction; sfrac; tfrac; dfrac; bruch; fracción; frazione; дробь",
    as_of: "as of",
    "×10^$1": "e",
    "10^$1": "10^",
    " – ": "snd; spnd; sndash; spaced ndash; spaced en dash",
    "–": "ndash; endash; en dash",
    "—": "mdash; emdash; em dash",
    " ": "nbsp; space; thin space; thinsp; hair space; spaces; pad; 0; ,",
    " · ": "·; dot; middot; •; bullet",
    "…": "...; ellipsis",
    "'": "'; apostrophe",
    "'s": "'s",
    "|": "!; pipe",
    "=": "=",
    "°": "deg; degree",
    "\n": "break; br; -; crlf",
}
_BY_LANGUAGE = {  # names, with semicolons between them: form | …
    "en": """circa; c.; ca.: c. $1 | floruit; fl.: fl. $1 | reign; r.: r. $1 | lit; literally: lit. '$1' | ship: $1
        $2 | sclass; sclass2: $1-class $2 | us$; usd: $$1 | gbp; £; pound sterling: £$1 | eur; €; euro: €$1 | inr;
        indian rupee; ₹: ₹$1 | jpy; ¥; cny: ¥$1 | ad: AD $1 | bc: $1 BC | bce: $1 BCE | numero; no.: No. $1 | hms:
        HMS $1 | uss: USS $1 | ss: SS $1 | hmas: HMAS $1 | hmcs: HMCS $1 | rms: RMS $1 | mv: MV $1 | ms: MS $1 |
        usns: USNS $1 | sms: SMS $1 | ins: INS $1 | a$; aud: A$$1 | c$; cad: C$$1 | won: Won | nom: Nominated |
        tba: TBA | n/a: N/A | yes: Yes | no: No | w: $2/1""",
    "de": """zahl; s; benutzer: $1 | ens: englisch $1 | frs: französisch $1 | las: lateinisch $1 | its:
        italienisch $1 | ess: spanisch $1 | russ: russisch $1 | grcs: altgriechisch $1 | bgs: bulgarisch $1 | pls:
        polnisch $1 | "; zitat: „$1/Text“ | zitat-en; zitat-fr; zitat-la: „$1“ | höhe: $1 m | §: § $1 $2 | ja: ja |
        nein: nein""",
    "fr": f"""date; date-; date de naissance; date de décès: $all | citation; citation bloc; « »: « $1 » |
        nobr romains; rom; rom-maj; citation étrangère; abréviation discrète; abréviation; abd: $1 | petites
        capitales; api; lien; pc; w; japonais; drapeau2: $1 | exposant; exp: {raised("$1")} | langue;
        lang: $2/texte | s; s-; siècle: $1$2 siècle | incise: – $1 – | guillemets: « $1 » | s2; s2-: $1$2 et $3$4
        siècles | sp; sp-: $1$2 $3 $4$5 siècles | av jc; av. j.-c.: av. J.-C. | ap jc; apr. j.-c.: apr. J.-C. | n°;
        numéro: no $1 | heure: $1 h $2 | 1er: 1er | 1re: 1re | ier: Ier | e: e | er: er | re: re | ire: Ire | nd:
        nd | nde: nde | in lang: en $1""",
    "es": """fecha: $all | esd; cita; versalita; versalitas; enlace; enlace interlingüístico: $1 | siglo: siglo $1
        | ac; a. c.; a.c.: a. C. | dc; d. c.; d.c.: d. C. | nihongo; nihongo2: $1 ($2)""",
    "it": """m: $1 $2/u/ul | tutto attaccato; ta; maiuscoletto; citazione: $1 | a.c.: a.C. | ac: $1 a.C. | dc: $1
        d.C. | nihongo: $1 ($2) | simbolo: $2""",
    "pt": """fmtn; fmtn/; unidade; dtlink: $all | citação: $1 | séc: século $1 | a.c.: a.C. | d.c.: d.C. | ac: $1
        a.C. | dc: $1 d.C. | nihongo: $1 ($2)""",
    "ru": """s; число; кавычки; цитата; comment; год; уд; ударение; юс; д; langi: $1 | до н. э.; до н.э.: до
        н. э. | н. э.; н.э.: н. э. | нп; нп1; нп2; нп3; нп4; нп5; не переведено; не переведено 2; не переведено 3;
        не переведено 5: $2/1 | км: $1 км | м: $1 м""",
    "uk": "s; число; цитата; comment: $1 | до н. е.: до н. е. | н. е.: н. е. | нп; нп5; не перекладено: $2/1",
    "ja": """仮リンク; 補助漢字フォント; jis2004フォント; 拡張漢字; 要説明: $1 | 読み仮名; 読み仮名 ruby不使用:
        $1（$2） | lang-en-short: 英: $1 | lang-de-short: 独: $1 | lang-fr-short: 仏: $1""",
    "zh": """le; link-en; link-ja; link-de; link-fr; link-ru; 僻字; tsl-ja; lj; 拼音: $1 | tsl; translink: $3 | bd:
        （$1$2－$3$4） | nihongo; jp: $1（$2）""",
    "pl": "cytat; w języku: $1 | data: $all",
    "nl": "citaat: $1",
    "ca": "segle: segle $1 | unitat: $all | cita: $1",
    "eo": "daton: $1-a de $2 $3 | citaĵo: $1",
    "lt": "de; en; fr; la; ru; pl; vok: $1",
    "fi": "k-de; k-en; k-fr; k-la; k-ru; k-sv: $1",
    "sk": "km: $1 km | mnm: $1 m n. m. | v jazyku: $2",
    "ltg": "vol-de; vol-el; vol-en; vol-es; vol-et; vol-fr; vol-la; vol-lt; vol-lv; vol-pl; vol-ru: $1",
    "ar": "إنج: بالإنجليزية: $1 | فرن: بالفرنسية: $1 | ألم: بالألمانية: $1 | لات: باللاتينية: $1",
    "sv": "citat: $1 | lang-en2: engelska: $1",
    "tr": "dil; alıntı: $1",
}


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(";")) - {""}


_FAMILIES: dict[str, Form] = {"lang": "$1", "ipa": pronounced, "мфа": pronounced, "transl": "$1"}
PAGE_NAMES = _names("pagename; fullpagename; basepagename; subpagename; pagename base")
FOOTNOTES = _names(  # dropped as <ref> is: they leave no gap, since they show nothing, or an icon, or a demand
    """flagicon; flag icon; flagdeco; flagicon image; bandera; прапорець; знамеикона; bandiera; drapeau; flaga;
    increase; decrease; steady; loop; listen; koord; coordinate; coordinates; coor title dms; webarchive;
    webarchiv; dead link; toter link; lien brisé; enlace roto; defaultsort; displaytitle; lowercase title;
    italic title; notetag; notelist; template other; use british english; use american english; use mdy dates;
    good article; featured article; pp; lead missing; main; further; see also; col-begin; col-break; col-end;
    columns-list; div col; div col end; nowrap begin; nowrap end; wrap; portal; commons category; hidden begin;
    hidden end; authority control; normdaten; 要出典; 出典; 脚注ヘルプ; r-en; источник; не аи; ref-en; ref-de; ref-fr;
    fakt; cytuj; fn; fnzb; citazione necessaria; chiarire; when?; vague; who?; update inline; lähde; neveikianti
    nuoroda; quand; lequel; citation needed; cn; fact; sfn; sfnp; efn; refn; r; rp; clarify; when; who; by whom;
    which; ref; note; harvnb; dubious; verify source; page needed; better source needed; failed verification;
    anchor; clear; reflist; short description; use dmy dates; référence nécessaire; refnec; cita
    requerida; belege; senza fonte; carece de fontes; нет аи; sfn0; toc limit; coord"""
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
        forms |= dict.fromkeys(_names(names), " ".join(form.split()))
    return forms


def of_family(name: str) -> Form | None:
    """The form of a template that is named for a language: `lang-de`, `ipa-de`."""
    family, dash, language = name.partition("-")
    return _FAMILIES.get(family) if dash and len(language) <= 8 else None


def shown(form: Form, arguments: Arguments) -> str:
    """The text in the template's place; empty where it says nothing."""
    if callable(form):
        return form(arguments)
    values = {**arguments, "all": " ".join(value for key, value in arguments.items() if key.isdigit() and value)}
    return _PLACE.sub(lambda place: next(filter(None, map(values.get, place[0][1:].split("/"))), ""), form)
