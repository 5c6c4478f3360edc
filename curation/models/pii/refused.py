"""Values that Presidio takes for personal data although their form, or what stands around them, says what they are.

Each rule is a pattern for the value, or for the text right before or after it. Chosen on one half of the marked texts
of `benchmarks/pii`, by the hash of their ids, and on the pages of the first two archives of shared/data/web.
"""

import re
import unicodedata
from collections.abc import Sequence
from ipaddress import ip_interface

from curation.models.pii.labels import is_labelled
from curation.models.pii.number_form import LEAST, digits, is_mobile, is_other, is_strong, is_written_so
from curation.models.pii.overlaps import PiiSpan, SpanSet
from curation.models.pii.recognizers import offline_domains
from curation.models.pii.surroundings import IN_FORMULA, IN_URL
from curation.text.kernels.buffers import Bytes
from curation.text.patterns.value_signs import MARK

# bytes before and after a value that are read
_NEAR = 72
_AFTER = 32
_STRONGER = frozenset(("ip", "credit_card", "iban", "uuid", "mac_address", "email"))
_LEAST_LABELLED = 5  # digits of a telephone number after a label
_LEAST_OF_PERSONS = 5  # digits of a number that a state or a bank gives
_UNIT = r"USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|RUB|JPY|CNY|INR"
_MONEY = (  # where the labels of the same scripts name phones, too
    'บาท|रुपय|रुपए|टका|টাকা|ரூபாய்|ريال|درهم|دينار|جنيه|ليرة|دولار|تومان|ریال|روپے|شقل|שקל|ש"ח'
)
_MONEY_BEFORE = re.compile(rf"(?:[$€£¥₽₩₹]|\b(?:{_UNIT}|Rs\.?))\s?\Z")
_MONEY_AFTER = re.compile(
    rf"\s?(?:[€£¥₽₩₹%°‰]|{_MONEY}|(?:{_UNIT}|zł|kr|руб|bytes?|[KMGT]i?B|km|kg|mm|cm|ms|px|mg|ml)\b)"
)
_CODE_BEFORE = re.compile(
    r"(?<![^\W_])(?!(?:tel|phone|fax|mobile|cell|call|home|work|office)-)(?-i:[^\W\d_\u0590-\uffff]{2,})[-_]\Z",
    re.I,
)
_NAMED = (
    "license licence plate card customer document order invoice tax account acct reference application transaction "
    "policy passport serial tracking imei isbn issn doi arxiv ssn pmid pmcid case ticket incident sku npi mrn ean upc "
    "gtin inn инн огрн кпп nip regon krs ust-idnr hrb siren siret cnpj cpf nif cif vat ico dic id "
    "issue bug pr patent section chapter figure table page pages pp vol volume line lines step version rfc §"
)
_NAME_BEFORE = re.compile(
    rf"(?<![^\W\d_])(?:{'|'.join(_NAMED.split())})(?:-1[03])?\W{{0,3}}"
    r"(?:(?:no|nr|num|number|id|ids|code|is)\b\W{0,3}){0,3}\Z",
    re.I,
)
_SERIAL_BEFORE = re.compile(r"(?:号|號|码|碼|番号|번호|\bqq)\W{0,3}\Z", re.I)
_NUMBER_BEFORE = re.compile(r"(?:\(no\. ?|[#№§] ?|\bn[°º] ?)\Z", re.I)
# A letter of an alphabet whose words stand apart, or a sign that belongs to an identifier, a path or a formula.
_GLUED_BEFORE = re.compile(
    r"(?:[^\W\d_\u1100-\uffff]|\d|[@#=_\\$&%~^<±≈×?!+]|(?<![^\x00-\u036f])·|[^\W_\u0590-\uffff]/|\d[.,:])\Z"
)
_GLUED_AFTER = re.compile(
    r"(?!x\d)[^\W\d_\u1100-\uffff]|\d|[_=%°\\^&@]|[.,:]\d|-[^\W\u0590-\uffff]|/[^\W\d\u0590-\uffff]"
)
_DIGIT_BEFORE = re.compile(r"\d\)?(?![,;] )[ \t\u00a0.,:;/()~–—-]{1,3}\Z")
_DIGIT_AFTER = re.compile(r"(?![,;] )[ \t\u00a0.,:~–—-]{1,2}\d")
_TIME_BEFORE = re.compile(r"\d:\Z")
_TIME_AFTER = re.compile(r":\d\d")
_VERSION_BEFORE = re.compile(
    r"(?:(?:\b(?:v|ver|version|release|build|firmware|sdk|driver|jdk|java)|верси\w|版本号?|バージョン|버전)[\s.:：\x01\"'(]*"
    r"|[§.]|(?-i:[^\W\d\u0590-\uffff]/|[^\W_\u0590-\uffff][-_])|@v?)\Z",
    re.I,
)
_VERSION_AFTER = re.compile(r"\.\d|[-_+]?[^\W\d_\u0590-\uffff]")
_IMEI_BEFORE = re.compile(r"\b(?:imei|isbn(?:-1[03])?|issn|ean|gtin|upc|doi)\W{0,3}\Z", re.I)
_IP_WORD = re.compile(r"\b(?:ips?|addr(?:ess)?|host|server|dns|gateway|from)\b", re.I)
_SMALL = 32  # parts of a section's number are smaller
CARD_WORD = re.compile(
    r"\b(?:cards?|cc|credit|debit|visa|mastercard|amex|american express|maestro|discover|jcb|diners|karte|kreditkarte|"
    r"carte|tarjeta|carta|cartão|karta|kort|payments?|pays?|transactions?|mc)\b|карт|卡|カード|카드",
    re.I,
)
_ABROAD_BEFORE = re.compile(r"\+\d{1,3} ?\Z")  # the code of a country, so that the rest is a telephone number
_MESSAGE_BEFORE = re.compile(r"\b(?:message-id|in-reply-to|references)\W{0,4}\Z", re.I)
_QUERY = re.compile("mailto:|%3d", re.I)
_HOST = re.compile(r"[\w.-]+")
_VERSION = re.compile(r"v?\d+\.\d", re.I)
# What says that digits in groups with dots are a telephone number and no address of the internet.
_CALLED_PHONE = re.compile(
    r"(?:\+|(?:phone|telef\w{0,8}|fon|(?<![^\W\d_])(?:tel|tlf|fax|mob\w{0,8}|gsm|тел\w{0,8}|τηλ\w{0,8}))\W{0,3})\Z",
    re.I,
)
_PLACEHOLDER = re.compile(
    r"(?:your[-_ ]?)?(?:user(?:name)?|login|name|me|you|foo|x+|\*+|\.+)?:"
    r"(?:your[-_ ]?)?(?:pass(?:word|wd)?|pwd?|secret|token|key|bar|x+|\*+|\.+)?@.*|[^${}\[\]<>%\n]*[${}\[\]<>%].*",
    re.I,
)
# Before a number that a state or a bank gives: what it is called, and little else.
_CALLED = {
    "us_ssn": "ssns?|social security",
    "us_itin": "itin|taxpayer|tax ?id",
    "us_driver_license": "driver'?’?s?|driving|dl",
    "us_passport": "passport",
    "us_bank_number": "accounts?|acct",
    "uk_nhs": "nhs",
    "medical_license": "dea",
    "es_nif": "dni|nif|cif|identidad",
    "es_nie": "nie|identidad",
    "it_driver_license": "patente",
    "it_identity_card": "identità|cie",
    "it_passport": "passaporto",
    "it_vat_code": "partita iva|p\\.? ?iva",
    "pl_pesel": "pesel",
}
_CALLED_BEFORE = {
    kind: re.compile(rf"(?<![^\W\d_])(?:{words})(?![^\W\d_])[^\d\n]{{0,40}}\n?[^\d\n]{{0,4}}\Z", re.I)
    for kind, words in _CALLED.items()
}
_FORMS = {"us_ssn": re.compile(r"\d{3}([-. ])\d{2}\1\d{4}"), "it_fiscal_code": re.compile(r"\w{16}")}
_NONE = SpanSet(())
_ANYWHERE = frozenset(
    ("email", "phone", "credit_card", "crypto", "iban", "ip", "mac_address", "url_credentials", "uuid")
)


def needs_words(kind: str) -> bool:
    """Whether a value is one of its kind only after a word of its recognizer's; of other kinds, rules here say it."""
    return kind not in _ANYWHERE and kind not in _CALLED and kind not in _FORMS


def is_called(span: PiiSpan, content: Bytes) -> bool | None:
    """Whether the text before a number, at its place in `content`, says what it is; None if that need not be said."""
    called = _CALLED_BEFORE.get(span.kind)
    form = _FORMS.get(span.kind)
    if called is None or (form and form.fullmatch(_text(content[span.start : span.end]))):
        return None
    return called.search(_text(content[max(span.start - _NEAR, 0) : span.start])) is not None


def without_others(spans: Sequence[PiiSpan], flags: Sequence[int], content: bytes, language: str = "") -> list[PiiSpan]:
    """The spans of one text that neither their form nor what stands around them refuses. `flags`: their
    `surroundings`. `language`: the text's, in some of which people write mobile numbers without blanks."""
    phones = SpanSet(span for span in spans if span.kind == "phone" and _is_called_phone(span, content))
    stronger = SpanSet(
        span
        for span in spans
        if span.kind in _STRONGER and span.score >= 0.5 and not (span.kind == "ip" and phones.has(span.start, span.end))
    )
    kept = []
    for span, flag in zip(spans, flags, strict=True):
        if (stronger if span.kind == "phone" else phones if span.kind == "ip" else _NONE).has(span.start, span.end):
            continue
        around = _around(span, content)
        if _RULES.get(span.kind, _is_number)(*around, flag) or (
            span.kind == "phone" and not flag and is_mobile(around[1], language) and _stands_alone(*around)
        ):
            kept.append(span)
    return kept


def _is_called_phone(span: PiiSpan, content: bytes) -> bool:
    """Whether a number begins with a plus sign or stands after a word such as telephone."""
    before = content[max(span.start - _NEAR, 0) : span.start].decode("utf-8", "replace")
    return content[span.start : span.start + 1] == b"+" or _CALLED_PHONE.search(before) is not None


def without_words(spans: Sequence[PiiSpan], content: bytes) -> list[PiiSpan]:
    """The spans of one text, of whose addresses Presidio's pattern takes words and signs before them for a part.

    A name in a script other than Latin is a word of the text where the domain is in ASCII, as in Chinese, and what ends
    with `=` is the name of a parameter. Addresses begin after the last of these; those that end with one, such as
    Рейтинг@Mail.ru, are left out."""
    kept = []
    for span in spans:
        value = content[span.start : span.end]
        if span.kind == "email" and (b"=" in value or not value.isascii()):
            name, at, domain = value.decode("utf-8", "replace").rpartition("@")
            own = _own_name(name, is_latin=domain.isascii())
            if not own and at:
                continue
            span = span._replace(start=span.start + len(name.encode()) - len(own.encode()))
        kept.append(span)
    return kept


def _own_name(name: str, *, is_latin: bool) -> str:
    """The part of a name behind the last `=` and, if it `is_latin`, the last letter of another script or MARK."""
    for at in range(len(name) - 1, -1, -1):
        foreign = name[at] == chr(MARK) or (
            name[at].isalpha() and not unicodedata.name(name[at], "").startswith("LATIN")
        )
        if name[at] == "=" or (is_latin and foreign):
            return name[at + 1 :]
    return name


def _around(span: PiiSpan, content: bytes) -> tuple[str, str, str]:
    """The text before a value, the value, and the text after it."""
    bounds = ((max(span.start - _NEAR, 0), span.start), (span.start, span.end), (span.end, span.end + _AFTER))
    before, value, after = (content[start:stop].decode("utf-8", "replace") for start, stop in bounds)
    return before, value, after


def _is_phone(before: str, value: str, after: str, flag: int) -> bool:
    if flag or is_other(value) or _TIME_BEFORE.search(before) or _TIME_AFTER.match(after):
        return False
    if value.startswith(("+", "(+")):
        return not _GLUED_AFTER.match(after)
    if _MONEY_BEFORE.search(before) or _MONEY_AFTER.match(after):
        return False
    if is_labelled(before):
        return digits(value) >= _LEAST_LABELLED
    return not _is_of_something(before, value, after) and is_written_so(value)


def _is_of_something(before: str, value: str, after: str) -> bool:
    """Whether a number without a label belongs to something else: a word, a longer number, or a name before it."""
    if digits(value) < LEAST or _GLUED_BEFORE.search(before) or _GLUED_AFTER.match(after):
        return True
    if not is_strong(value) and (_DIGIT_BEFORE.search(before) or _DIGIT_AFTER.match(after)):
        return True
    return any(one.search(before) for one in (_CODE_BEFORE, _NAME_BEFORE, _NUMBER_BEFORE))


def _stands_alone(before: str, value: str, after: str) -> bool:
    """Whether a number without a label belongs to nothing else, and is not called a number of something else."""
    return not _is_of_something(before, value, after) and not _SERIAL_BEFORE.search(before)


def _is_ip(before: str, value: str, after: str, flag: int) -> bool:
    """An address of the internet; of none that a network has at home, and no version or section."""
    address = ip_interface(value).ip
    if flag & (IN_URL | IN_FORMULA) or not address.is_global:
        return False
    if address.version == 6:
        return int(address) >> 125 == 1 or value.count(":") == 7  # global unicast (RFC 4291), or written out
    if _VERSION_BEFORE.search(before) or _VERSION_AFTER.match(after):
        return False
    return max(address.packed) >= _SMALL or bool(_IP_WORD.search(before[-24:]))


def _is_email(before: str, value: str, after: str, flag: int) -> bool:
    if flag & IN_URL:
        return _is_of_query(before[-8:] + value)
    if before.endswith(("@", "/")) or _MESSAGE_BEFORE.search(before):
        return False
    if not _is_domain(value.rpartition("@")[2].replace(chr(MARK), "")):
        return False  # a path and its version
    return not (value.startswith("git@") and re.match(r":\S", after))


def _is_domain(name: str) -> bool:
    """Whether what follows an `@` may be a host; addresses that are written to hide have been checked."""
    if not _HOST.fullmatch(name):
        return True
    return not _VERSION.match(name) and bool(offline_domains()(name).fqdn)


def _is_of_query(address: str) -> bool:
    """Whether what follows the last `/` of an address begins a parameter's value."""
    last = max(address.rfind("="), address.rfind("/"))
    return address[last : last + 1] == "=" or _QUERY.search(address, last + 1) is not None


def _is_card(before: str, value: str, after: str, flag: int) -> bool:
    if flag or _IMEI_BEFORE.search(before) or _GLUED_BEFORE.search(before) or _GLUED_AFTER.match(after):
        return False
    return not value.isdecimal() or bool(CARD_WORD.search(before) or CARD_WORD.search(after))


def _is_login(before: str, value: str, after: str, flag: int) -> bool:
    return not _PLACEHOLDER.fullmatch(value)


def _is_account(before: str, value: str, after: str, flag: int) -> bool:
    return not flag & IN_URL


def _is_hardware(before: str, value: str, after: str, flag: int) -> bool:
    """A hardware address, and no part of a longer number in groups with dots."""
    if "." in value and (re.search(r"[^\W_]\.\Z", before) or re.match(r"\.[^\W_]", after)):
        return False
    return not flag & IN_URL


def _is_number(before: str, value: str, after: str, flag: int) -> bool:
    """A number that a state or a bank gives to a person."""
    if flag or digits(value) < _LEAST_OF_PERSONS or _GLUED_BEFORE.search(before) or _GLUED_AFTER.match(after):
        return False
    return not (_ABROAD_BEFORE.search(before) or _DIGIT_BEFORE.search(before) or _DIGIT_AFTER.match(after))


def _text(content: Bytes) -> str:
    return content.tobytes().decode("utf-8", "replace")


_RULES = {
    "phone": _is_phone,
    "ip": _is_ip,
    "email": _is_email,
    "credit_card": _is_card,
    "url_credentials": _is_login,
    "crypto": _is_account,
    "iban": _is_account,
    "mac_address": _is_hardware,
    "uuid": _is_account,
}
