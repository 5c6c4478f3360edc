"""Personal data beside words of twenty scripts, with ten separators: what should be found in each text.

A separator stands between the groups of a value where people part it, and otherwise between the value and the words.
"""

from collections.abc import Iterator

# A word before a value and one after it, without a space, as most of these scripts write them.
SCRIPTS = {
    "Han": ("请记", "谢谢"),
    "Hiragana": ("おくりさきは", "です"),
    "Katakana": ("メール", "サポート"),
    "Hangul": ("연락처는", "입니다"),
    "Thai": ("ติดต่อ", "ครับ"),
    "Lao": ("ຕິດຕໍ່", "ເດີ້"),
    "Khmer": ("ទាក់ទង", "បាទ"),
    "Myanmar": ("ဆက်သွယ်ရန်", "ပါ"),
    "Arabic": ("اتصل", "و"),
    "Hebrew": ("לפנות", "תודה"),
    "Devanagari": ("संपर्क", "पर"),
    "Bengali": ("যোগাযোগ", "এ"),
    "Tamil": ("தொடர்பு", "இல்"),
    "Telugu": ("సంప్రదించండి", "కు"),
    "Malayalam": ("ബന്ധപ്പെടുക", "ൽ"),
    "Georgian": ("კონტაქტი", "ზე"),
    "Armenian": ("կապ", "ին"),
    "Cyrillic": ("пишите", "или"),
    "Greek": ("γράψτε", "στο"),
    "Ethiopic": ("ያግኙ", "ነው"),
}
SEPARATORS = {
    "blank": " ",
    "no-break space": "\u00a0",
    "narrow no-break space": "\u202f",
    "thin space": "\u2009",
    "figure space": "\u2007",
    "hyphen": "-",
    "no-break hyphen": "\u2011",
    "en dash": "\u2013",
    "middle dot": "·",
    "zero-width space": "\u200b",
}
# Values of which groups stand apart.
GROUPED = {
    "phone": ("+86 138 1234 5678", "+33 1 42 68 53 00", "+1 212 555 2368"),
    "iban": ("DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19"),
    "credit_card": ("4111 1111 1111 1111", "5500 0000 0000 0004", "3782 822463 10005"),
    "us_ssn": ("536 22 8726",),
}
WHOLE = {
    "email": ("zhang.wei@example.com", "a@b.io"),
    "ip": ("81.2.69.142", "2a00:1450:4001:81b::200e"),
    "mac_address": ("00:1b:44:11:3a:b7",),
    "crypto": ("1BoatSLRHtKNngkdXEeobR76b53LETtpyT",),
}


def made(kind: str) -> Iterator[tuple[str, str]]:
    """Each text, and the value in it."""
    for before, after in SCRIPTS.values():
        for name, sign in SEPARATORS.items():
            for value in GROUPED.get(kind, ()):
                parted = value.replace(" ", sign)
                yield f"{before}{parted}{after}", parted
            for value in WHOLE.get(kind, ()):
                beside = "" if name == "hyphen" else sign  # a hyphen would be a part of the address
                yield f"{before}{beside}{value}{beside}{after}", value
