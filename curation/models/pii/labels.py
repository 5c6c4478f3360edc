"""Words that say a telephone number follows, in the languages of the web; each is written as its language writes it.

Chosen as `refused` says.
"""

import re

# May be a part of a longer word, such as Bürgertelefon or Telefonnummer.
_PARTS = (
    "telefon telefón teléfon telefoon téléphon telephon телефон τηλέφων τηλεφων puhelin telefax hotline helpline infolin"
)
# Words of their own.
_WORDS = (
    "phone phones cellphone payphone textphone freephone ph tel tels tele tél tlf tlfn tfn tlph fon fone fono handy mob "
    "mobil mobile mobiles mobiltelefon móvil celular cell cellulare cel gsm kom komórka fax faxes faks fakss факс факсы "
    "тел моб φαξ τηλ κιν puh call calls calling dial ring text sms whatsapp viber desk office rufnummer durchwahl "
    "anrufen zadzwoń llame llamar ligue appelez chiama звоните звонок вайбер"
)
_SIGNS = "电话 電話 热线 熱線 传真 傳真 手机 手機 來電 来电 致电 致電 行動 專線 专线 联系方式 전화 팩스 휴대폰 ☎ ☏ ✆ 📞 📱 📲 ℡"
_FILL = r"[^\d\n]{0,24}(?:\n[^\d\n]{0,4})?"  # between a label and its number

_PHRASES = "(?:support|main|direct|emergency|customer) (?:line|contact|service)|reach(?:able|ed)? (?:me |us )?at|answering at"
LABEL = (
    rf"(?:(?:{'|'.join(_PARTS.split())})[^\W\d_]{{0,10}}"
    rf"|(?<![^\W\d_])(?:{'|'.join(_WORDS.split())})(?![^\W\d_])"
    rf"|{'|'.join(_SIGNS.split())}|{_PHRASES})"
)
LABELLED = re.compile(rf"{LABEL}{_FILL}\Z", re.I)


def is_labelled(before: str) -> bool:
    """Whether the text before a number ends with a label and little else."""
    return LABELLED.search(before) is not None
