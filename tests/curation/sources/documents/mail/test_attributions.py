"""Lines that say who wrote what is quoted, and those that begin another message."""

import pytest

from curation.sources.documents.mail.attributions import attribution, message_mark


@pytest.mark.parametrize(
    ("lines", "quoted", "expected"),
    [
        pytest.param(["On Thu, Jan 2, 2020 at 3:04 AM Ann <a@a.org> wrote:"], False, 1, id="English"),
        pytest.param(["On Thu, Jan 2, 2020 at 3:04 AM Ann", "<a@a.org> wrote:"], False, 2, id="on two lines"),
        pytest.param(["On Thu, Jan 2, 2020 at 3:04 AM", "Ann Example <", "a@a.org> wrote:"], False, 3, id="on three"),
        pytest.param(["    On Monday, 2 March 2020, 11:40, Ann <ann at a.org> wrote:"], False, 1, id="indented"),
        pytest.param(["--- On Mon, 3/2/20, Ann <ann at a.org> wrote:"], False, 1, id="Yahoo"),
        pytest.param(["---- On Mon, 02 Mar 2020 14:17:36 +0530 Ann<a@a.org> wrote ----"], False, 1, id="Zoho"),
        pytest.param(["Ann <a@a.org> wrote:"], False, 1, id="an address and no date"),
        pytest.param(["Am 02.01.2020 um 03:04 schrieb Ann:"], False, 1, id="German"),
        pytest.param(["Ann <a@a.org> schrieb am Do., 2.", "Jan. 2020 um 03:04 Uhr:"], True, 2, id="German, Gmail"),
        pytest.param(["Le 2 janv. 2020 à 03:04, Ann", "<a@a.org>", "a écrit :"], False, 3, id="French"),
        pytest.param(["Le 2020-01-02 03:04, Ann a ?crit?:"], False, 1, id="French in ASCII"),
        pytest.param(["El jueves, 2 de enero de 2020, Ann escribió:"], False, 1, id="Spanish"),
        pytest.param(["Il giorno gio 2 gen 2020 alle ore 03:04 Ann", "<a@a.org> ha scritto:"], False, 2, id="Italian"),
        pytest.param(["Em 2 de janeiro de 2020 03:04, Ann <", "a@a.org> escreveu:"], False, 2, id="Portuguese"),
        pytest.param(["Op 2 jan. 2020 om 03:04 heeft Ann <a@a.org> het volgende geschreven:"], False, 1, id="Dutch"),
        pytest.param(["Dnia 2 sty 2020 o godz. 03:04 Ann <a@a.org> napisał(a):"], False, 1, id="Polish"),
        pytest.param(["четверг, 2 января 2020 г. пользователь Ann написал:"], False, 1, id="Russian"),
        pytest.param(["2 січ. 2020 р. 03:04 Ann <a@a.org> пише:"], False, 1, id="Ukrainian"),
        pytest.param(["Dne 2. 1. 2020 v 03:04 Ann napsal(a):"], False, 1, id="Czech"),
        pytest.param(["Den tors 2 jan. 2020 kl 03:04 skrev Ann <a@a.org>:"], False, 1, id="Swedish"),
        pytest.param(["2020年1月2日(木) 3:04 Ann <a@a.org>:"], True, 1, id="Japanese"),
        pytest.param(["在 2020年1月2日，下午3:04，Ann <a@a.org> 写道："], False, 1, id="Chinese"),
        pytest.param(["2020-01-02 3:04 GMT+01:00 Ann <a@a.org>:"], True, 1, id="no verb"),
        pytest.param(["2020/1/2 Ann <a@a.org>"], True, 1, id="no colon"),
        pytest.param(["* Ann <a@a.org> [2020-01-02 03:04:05 +0100]:"], True, 1, id="Mutt"),
        pytest.param(["Quoting Ann <a@a.org>:"], True, 1, id="Horde"),
        pytest.param(["Ann wrote:"], True, 1, id="a name alone above a quote"),
        pytest.param(["Ann wrote:"], False, 0, id="a name alone"),
        pytest.param(["In 1984, Orwell wrote:"], False, 0, id="a year"),
        pytest.param(["See <https://a.org>:"], True, 0, id="an address of a page"),
        pytest.param(["On 2 March 2020 at 11:40, what he wrote.", "", "See:"], True, 0, id="a blank line between"),
        pytest.param(["пн, 2 янв. 2020 г. в 03:04, Ann <", "a@a.org>:"], True, 2, id="Russian, Gmail"),
        pytest.param(["Vào Th 5, 2 thg 1, 2020 lúc 03:04 Ann <a@a.org> đã viết:"], True, 1, id="Vietnamese"),
        pytest.param(["Vào Th 5, 2 thg 1, 2020 lúc 03:04 Ann <a@a.org> đã viết:"], False, 0, id="above no quote"),
        pytest.param(["See <https://a.org/2020>:"], True, 0, id="a page of a year"),
        pytest.param(["Since 2020 it is so,", "as a@a.org told us:"], True, 0, id="a year in the line before"),
        pytest.param(["Nothing"], True, 0, id="no sign at the end"),
    ],
)
def test_attribution(lines: list[str], quoted: bool, expected: int) -> None:
    assert attribution(["Text.", "", *lines[:-1]], lines[-1], quoted) == expected


HEADERS = ["From: Ann <a@a.org>", "Sent: Thursday, 3:04", "To: b", "Subject: x", "", "Text."]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(HEADERS, 4, id="Outlook"),
        pytest.param(["-----Original Message-----", *HEADERS], 5, id="Outlook, with a line above"),
        pytest.param(
            ["----- Message d'origine ----", "De : Ann", "? : b", "Envoyé le : x", "Objet : x"], 5, id="French"
        ),
        pytest.param(["-----Ursprüngliche Nachricht-----", "Von: Ann", "Gesendet: Don", "An: b"], 4, id="German"),
        pytest.param(["Da: Ann", "Data: gio", "A: b", "Oggetto: x"], 4, id="Italian"),
        pytest.param(["*From:* Ann", "*Date:* Thu", "*To:* b"], 3, id="in bold"),
        pytest.param(["---------- Forwarded message ---------", "Text."], 1, id="Gmail"),
        pytest.param(["Begin forwarded message:"], 1, id="Apple"),
        pytest.param(["------- Forwarded Message", ""], 1, id="MH"),
        pytest.param(["From: here", "To: there", "We walk."], 0, id="a copy of too few headers"),
        pytest.param(["-----", "Date: x"], 0, id="dashes"),
    ],
)
def test_message_mark(lines: list[str], expected: int) -> None:
    assert message_mark(lines, 0) == expected
