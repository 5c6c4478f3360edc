"""The countries as whose telephone numbers a text's numbers are read, by the text's language.

Source: Unicode CLDR (cldr.unicode.org), languages of territories: those where most people of a language live.
"""

from collections.abc import Iterable

from curation.core.errors import RecipeError

PRESIDIO_REGIONS = ("US", "GB", "DE", "FR", "IL", "IN", "CA", "BR")  # its own default
_OF_LANGUAGE = {
    "ar": "EG SA AE MA DZ",
    "bg": "BG",
    "bn": "BD",
    "ca": "ES",
    "cs": "CZ",
    "da": "DK",
    "de": "AT CH",
    "el": "GR CY",
    "en": "AU IE NZ ZA",
    "es": "ES MX AR CO CL PE",
    "et": "EE",
    "fa": "IR",
    "fi": "FI",
    "fr": "BE CH",
    "hi": "IN",
    "hr": "HR",
    "hu": "HU",
    "id": "ID",
    "it": "IT CH",
    "ja": "JP",
    "ko": "KR",
    "lt": "LT",
    "lv": "LV",
    "ms": "MY",
    "nl": "NL BE",
    "no": "NO",
    "pl": "PL",
    "pt": "PT",
    "ro": "RO",
    "ru": "RU BY KZ",
    "sk": "SK",
    "sl": "SI",
    "sr": "RS",
    "sv": "SE FI",
    "th": "TH",
    "tr": "TR",
    "uk": "UA",
    "vi": "VN",
    "zh": "CN TW HK SG",
}


def regions_of(language: str) -> tuple[str, ...]:
    """Presidio's countries and those of the language, each once."""
    return tuple(dict.fromkeys((*PRESIDIO_REGIONS, *_OF_LANGUAGE.get(language, "").split())))


def check_regions(regions: Iterable[str]) -> None:
    """Raises RecipeError for what is no country with telephone numbers."""
    import phonenumbers

    for code in regions:
        if code not in phonenumbers.SUPPORTED_REGIONS:
            raise RecipeError(f"regions: {code!r} is no country's code of two capital letters, such as US")
