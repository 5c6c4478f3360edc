"""Guesses the language label that somebody meant who wrote a name, a three-letter code or a regional code."""

from collections.abc import Collection

from curation.core.close_names import nearest

# ISO 639-1 label -> English name, three-letter codes, and other common spellings.
NAMES = {
    "ar": "arabic ara",
    "bg": "bulgarian bul",
    "bn": "bengali ben",
    "ca": "catalan cat",
    "cs": "czech ces cze",
    "da": "danish dan",
    "de": "german deu ger deutsch",
    "el": "greek ell gre",
    "en": "english eng",
    "es": "spanish spa español",
    "et": "estonian est",
    "eu": "basque eus baq",
    "fa": "persian farsi fas per",
    "fi": "finnish fin",
    "fr": "french fra fre français",
    "he": "hebrew heb",
    "hi": "hindi hin",
    "hr": "croatian hrv",
    "hu": "hungarian hun",
    "id": "indonesian ind",
    "is": "icelandic isl ice",
    "it": "italian ita italiano",
    "ja": "japanese jpn jp",
    "ko": "korean kor kr",
    "lt": "lithuanian lit",
    "lv": "latvian lav",
    "mr": "marathi mar",
    "ms": "malay msa may",
    "nl": "dutch nld dut",
    "no": "norwegian nor nb nob bokmål",
    "pl": "polish pol",
    "pt": "portuguese por br",
    "ro": "romanian ron rum",
    "ru": "russian rus",
    "sk": "slovak slk slo",
    "sl": "slovenian slv",
    "sq": "albanian sqi alb",
    "sr": "serbian srp",
    "sv": "swedish swe se",
    "sw": "swahili swa",
    "ta": "tamil tam",
    "te": "telugu tel",
    "th": "thai tha",
    "tr": "turkish tur",
    "uk": "ukrainian ukr ua",
    "ur": "urdu urd",
    "vi": "vietnamese vie vn",
    "zh": "chinese zho chi cn cmn mandarin",
}
EXAMPLES = 5
_MEANT = {name: label for label, names in NAMES.items() for name in names.split()}


def label_of(name: str) -> str | None:
    """The label of a language that is named by its label, a three-letter code, in English or otherwise; else None."""
    return name.lower() if name.lower() in NAMES else _MEANT.get(name.lower())


def meant(word: str, known: Collection[str]) -> str:
    """ "; did you mean 'en'?" for the likely label, else some known ones, or all if they are few."""
    name = word.lower()
    for guess in (name, _MEANT.get(name), *(part for mark in "-_" for part in _parts(name, mark))):
        if guess in known:
            return f"; did you mean {guess!r}?"
    if len(known) <= 2 * EXAMPLES:
        return nearest(word, known)
    return nearest(word, known).partition("; known:")[0] or (
        f"; it has {len(known)}, such as {', '.join(sorted(known)[:EXAMPLES])}"
    )


def _parts(name: str, mark: str) -> tuple[str | None, ...]:
    """The language without region or script, as in en-us or deu_latn."""
    language, separator, _ = name.partition(mark)
    return (language, _MEANT.get(language)) if separator else ()
