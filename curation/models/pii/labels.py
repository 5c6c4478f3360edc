"""Words that say a telephone number follows, in the languages of the web; each is written as its language writes it.

Chosen as `refused` says.
"""

import re

# May be a part of a longer word, such as Bürgertelefon or Telefonnummer.
_PARTS = (
    "telefon telefón teléfon telefoon téléphon telephon телефон τηλέφων τηλεφων puhelin telefax hotline helpline "
    "infolin"
)
# Words of their own.
_WORDS = (
    "phone phones cellphone payphone textphone freephone ph tel tels tele tél tlf tlfn tfn tlph fon fone fono handy "
    "mob mobil mobile mobiles mobiltelefon móvil celular cell cellulare cel gsm kom komórka fax faxes faks fakss "
    "факс факсы тел моб φαξ τηλ κιν puh call calls calling dial ring text sms whatsapp viber desk office rufnummer "
    "durchwahl anrufen zadzwoń llame llamar ligue appelez chiama звоните звонок вайбер"
)
_SIGNS = (
    "电话 電話 热线 熱線 传真 傳真 手机 手機 來電 来电 致电 致電 行動 專線 专线 联系方式 携帯 "
    "전화 팩스 휴대폰 핸드폰 연락처 "
    "हेल्पलाइन फोन फ़ोन मोबाइल दूरभाष व्हाट्सएप व्हाट्सऐप ফোন মোবাইল தொலைபேசி கைபேசி โทร มือถือ แฟกซ์ טלפון נייד פקס "
    "هاتف جوال موبايل تليفون تلفون فاكس واتساب تلفن تماس موبایل فکس موبائل واٹس "
    "☎ ☏ ✆ 📞 📱 📲 ℡"
)
_FILL = r"[^\d\n]{0,24}(?:\n[^\d\n]{0,4})?"  # between a label and its number
_LITTLE = r"[^\w\n+(]{0,4}(?:(?:no|nr|number|at|is|us)\b[^\w\n+(]{0,3})?"

_PHRASES = (
    "(?:support|main|direct|emergency|customer) (?:line|contact|service)|reach(?:able|ed)? (?:me |us )?at|answering at"
)
_LABEL = (
    rf"(?:(?:{'|'.join(_PARTS.split())})[^\W\d_]{{0,10}}"
    rf"|(?<![^\W\d_])(?<!\w-)(?:{'|'.join(_WORDS.split())})(?=\W)"
    rf"|{'|'.join(_SIGNS.split())}|{_PHRASES})"
)
_LABELLED = re.compile(rf"{_LABEL}{_FILL}\Z", re.I)
_RIGHT_BEFORE = re.compile(rf"{_LABEL}{_LITTLE}\Z", re.I)


def is_labelled(before: str) -> bool:
    """Whether the text before a number ends with a label and few words."""
    return _LABELLED.search(before) is not None


def is_right_after_label(before: str) -> bool:
    """Whether the text before a number ends with a label and at most one of a few short words."""
    return _RIGHT_BEFORE.search(before) is not None
