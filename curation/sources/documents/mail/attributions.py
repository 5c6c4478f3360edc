"""Recognises the lines that say who wrote what is quoted below, in some twenty languages.

"On 2 Mar 2020, Ann Example <ann@example.org> wrote:" may be wrapped over three lines, indented, between dashes (Yahoo,
Zoho), or without a date. Forwarded and quoted messages also begin with a line such as "-----Original Message-----", or
with a copy of their headers, as Outlook writes them.
"""

import re
from collections.abc import Sequence

LONGEST = 240  # characters of a line that are looked at
LINES = 3  # over which an attribution is wrapped
MAX_LABEL = 30  # characters of a header's name with what stands before it
NOTES = 20  # lines in which the head of Lotus Notes ends
HEADERS = 6  # lines in which a copy of headers is looked for
# Some words as archives in ASCII have them, too.
_VERBS = frozenset(
    "wrote writes write said typed schrieb schrieben écrit crit écrivait crivait escribió escribi scritto"
    " scrive scrisse schreef geschreven escreveu skrev kirjoitti napisał napisal pisze написал пишет писал пише"
    " написав napsal píše írta yazdı scris έγραψε".split()
)
_VERBS_WITHOUT_SPACES = ("写道", "寫道", "書きました", "のメッセージ", "작성", "썼습니다")
ENDS = (":", "：", "---", ">")
_DATED = re.compile(
    r"[\s*>-]{0,20}(?:(?:On|At|In|Am|Le|El|Il|Op|Em|Den|Dne|Dnia|W dniu|W dn|Pe|Στις|В|понедельник|вторник|сред[ау]"
    r"|четверг|пятниц[ау]|суббот[ау]|воскресенье)\b|(?=\d{4}[-/.年]|\d{1,2}[-/. ])|[在于]).{0,150}?"
    r"(?:\d{1,2}[:.hH時时]\d\d|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}\D{1,25}\d{4}|\d{4}\D{1,25}\d|年)",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\d[:.]\d\d\b|\b(?:19|20)\d\d\b")  # of any language, above quotes
_ADDRESS = re.compile(
    r"[\w.+-]{1,64}@[\w.-]{1,64}|<[^<>\s]{1,100}>|<?\b[\w.+-]{1,64} (?:at|en|chez|a) [\w-]{1,60}\.[\w.-]{1,60}>"
)
_WORD_ENDS = re.compile(r"[:(?]")
_NAMED = re.compile(r"[\s*]*(?:Quoting|Zitat von|Citando|Citazione|Quoth|Thus spake)\b.{1,100}:$|.{1,60} \[.{6,60}\]:$")
_MARK = re.compile(
    r"[\s*]*-{2,} ?\*?(?:original (?:message|mail|email|appointment)|(?:begin )?forwarded (?:message|by .{0,80})"
    r"|ursprüngliche nachricht|originalnachricht|original-nachricht|weitergeleitete nachricht|message d['’]origine"
    r"|message (?:original|initial|transféré)|messaggio (?:originale|inoltrato)|mensaje (?:original|reenviado)"
    r"|mensagem (?:original|encaminhada)|oorspronkelijk bericht|doorgestuurd bericht|wiadomość oryginalna"
    r"|oryginalna wiadomość|treść przekazanej wiadomości|исходное сообщение|пересылаемое сообщение"
    r"|původní zpráva|ursprungligt meddelande|original ?meddelelse|oprindelig meddelelse|opprinnelig melding"
    r"|alkuperäinen viesti|原始邮件|原始郵件|转发邮件|元のメッセージ|원본 메시지|orijinal ileti) ?\*?-{2,}\*?\s*$"
    r"|\s*-{5,} ?(?:begin )?forwarded messages?$|\s*-{6,} ?(?:original message|forwarded message) follows ?-{2,}"
    r"|\s*(?:begin forwarded message|début du message réexpédié|anfang der weitergeleiteten nachricht"
    r"|inizio messaggio inoltrato|inicio del mensaje reenviado):\s*$",
    re.IGNORECASE,
)
_SENT_BY = re.compile(r"\s*Sent by: ?\S{1,100}@\S")
_FROM = frozenset("from von de da van od от кого från fra lähettäjä 差出人 发件人 寄件者 kimden feladó".split()) | {
    "보낸 사람"
}
_OTHERS = frozenset(
    "sent date to subject cc reply-to gesendet datum an betreff envoyé à objet enviado fecha para asunto inviato data a"
    " oggetto risposta verzonden aan onderwerp assunto wysłane do temat отправлено дата кому тема skickat till ämne"
    " sendt dato til emne lähetetty päivämäärä vastaanottaja aihe odesláno komu předmět 送信日時 日付 日時 宛先 件名"
    " 发送时间 日期 收件人 主题 寄件日期 主旨 抄送".split()
) | {"envoyé le"}
_LABEL = re.compile(r"[\s*>|]{0,8}([^\W\d_][\w -]{0,18}?) ?\*{0,2} ?[:：](?!//)")


def attribution(kept: Sequence[str], line: str, quoted: bool) -> int:
    """Counts the lines of an attribution that ends with `line`, of which all but one are the last of `kept`; 0 for
    none. `quoted` says whether marked quotes stand below."""
    line = line.rstrip()
    if not line.endswith(ENDS) or (line.endswith(">") and not quoted):
        return 0
    joined = line[-LONGEST:]
    found = int(quoted and _has_verb(joined))
    for lines in range(1, LINES + 1):
        verb = _has_verb(joined)
        if verb or quoted:
            address = _ADDRESS.search(joined) is not None
            alone = lines == 1 or (lines == 2 and " " not in line)  # but for a wrapped address
            timed = quoted and alone and "@" in joined and _WHEN.search(joined) is not None
            if (verb or address) and (timed or _DATED.match(joined)):
                return lines
            if not found and ((verb and address and (quoted or lines == 1)) or (quoted and _NAMED.match(joined))):
                found = lines
        if len(kept) < lines or not kept[-lines].strip():
            break
        joined = f"{kept[-lines][:LONGEST]} {joined}"
    return found


def _has_verb(line: str) -> bool:
    if not _VERBS.isdisjoint(_WORD_ENDS.sub(" ", line.lower()).split()):
        return True
    return not line.isascii() and any(verb in line for verb in _VERBS_WITHOUT_SPACES)


def message_mark(lines: Sequence[str], number: int) -> int:
    """Counts the lines from this one on that say that another message follows."""
    line = lines[number][:LONGEST]
    if _SENT_BY.match(line):
        return _of_notes(lines, number)
    if ("--" in line or line.endswith(":")) and _MARK.match(line):
        return 1 + _headers(lines, number + 1)
    return _headers(lines, number) if _label(line) in _FROM else 0


def _of_notes(lines: Sequence[str], number: int) -> int:
    """Counts the lines of the head that Notes puts above a message, below its author; it ends with the subject."""
    head = [line.strip() for line in lines[number : number + NOTES]]
    subject = next((place for place, line in enumerate(head) if line.startswith("Subject")), -1)
    return subject + 2 if subject > 0 and any(_WHEN.search(line) for line in head[1:3]) else 0


def _headers(lines: Sequence[str], number: int) -> int:
    """Counts the lines that are a copy of a message's headers: one that says from whom, and two others."""
    labels = [_label(line[:LONGEST]) for line in lines[number : number + HEADERS]]
    others = [place for place, label in enumerate(labels) if label in _OTHERS]
    if not any(label in _FROM for label in labels[:2]) or len(others) < 2:
        return 0
    return others[-1] + 1


def _label(line: str) -> str:
    match = _LABEL.match(line) if ":" in line[:MAX_LABEL] or "：" in line[:MAX_LABEL] else None
    return match[1].lower() if match else ""
