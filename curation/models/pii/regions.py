"""The countries as whose telephone numbers a text's numbers are read: by the text's language and its page's country.

Source: Unicode CLDR (cldr.unicode.org), languages of territories: those where most people of a language live; IANA's
list of top-level domains (iana.org/domains/root/db), of which the countries' have two letters.
"""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import RecipeError

PRESIDIO_REGIONS = ("US", "GB", "DE", "FR", "IL", "IN", "CA", "BR")  # its own default
_OF_LANGUAGE = {
    "af": "ZA",
    "ar": "EG SA AE MA DZ",
    "az": "AZ",
    "be": "BY",
    "bg": "BG",
    "bn": "BD IN",
    "bs": "BA",
    "ca": "ES",
    "cs": "CZ",
    "da": "DK",
    "de": "DE AT CH",
    "el": "GR CY",
    "en": "US GB CA AU IE NZ ZA IN",
    "es": "ES MX AR CO CL PE",
    "et": "EE",
    "eu": "ES",
    "fa": "IR",
    "fi": "FI",
    "fr": "FR BE CH CA",
    "gl": "ES",
    "he": "IL",
    "hi": "IN",
    "hr": "HR",
    "hu": "HU",
    "hy": "AM",
    "id": "ID",
    "is": "IS",
    "it": "IT CH",
    "ja": "JP",
    "ka": "GE",
    "kk": "KZ",
    "ko": "KR",
    "lt": "LT",
    "lv": "LV",
    "mk": "MK",
    "ms": "MY",
    "nl": "NL BE",
    "no": "NO",
    "pl": "PL",
    "pt": "BR PT",
    "ro": "RO",
    "ru": "RU BY KZ",
    "sk": "SK",
    "sl": "SI",
    "sq": "AL",
    "sr": "RS",
    "sv": "SE FI",
    "ta": "IN LK",
    "th": "TH",
    "tr": "TR",
    "uk": "UA",
    "ur": "PK IN",
    "uz": "UZ",
    "vi": "VN",
    "zh": "CN TW HK SG",
}
# Domains of countries that are sold to everybody, so that they say nothing of a site's country.
_SOLD = frozenset(
    "ac ag ai am bz cc cd cf co cx dj fm ga gd gg gl gq gs im io la li ly me mn ms mu nu pw sc sh st tc tk tm to tv vc "
    "vg ws".split()
)
_OTHERWISE = {"uk": "GB", "su": "RU"}  # where the domain is not the country's code
_DOMAIN = r"^[^/?#]*//(?:[^/?#]*@)?[^/?#:@]*\.(?P<domain>[A-Za-z]{2})\.?(?::[0-9]*)?(?:[/?#]|$)"  # in RE2's syntax


def regions_of(language: str) -> tuple[str, ...]:
    """The countries of a language; none for a language that is not known here."""
    return tuple(_OF_LANGUAGE.get(language, "").split())


def countries_of(urls: pa.Array) -> pa.DictionaryArray:
    """dictionary<string>[N]: the country of each URL's top-level domain; null where that is no country's."""
    domains = pc.struct_field(pc.extract_regex(urls, _DOMAIN), "domain").dictionary_encode()
    countries = pa.array([_country(domain.lower()) for domain in domains.dictionary.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(domains.indices, countries)


def _country(domain: str) -> str | None:
    import phonenumbers

    code = _OTHERWISE.get(domain, domain.upper())
    return code if code in phonenumbers.SUPPORTED_REGIONS and domain not in _SOLD else None


def check_regions(regions: Iterable[str]) -> None:
    """Raises RecipeError for what is no country with telephone numbers."""
    import phonenumbers

    for code in regions:
        if code not in phonenumbers.SUPPORTED_REGIONS:
            raise RecipeError(f"regions: {code!r} is no country's code of two capital letters, such as US")
