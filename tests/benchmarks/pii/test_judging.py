"""Shares by hand."""

from benchmarks.pii.judging import judge, judge_contacts
from benchmarks.pii.marked import Marked


def test_a_value_is_found_where_a_span_of_its_kind_touches_it() -> None:
    text = Marked("a", "é a@b.org and 212 and 213", "en", (("email", 3, 10), ("phone", 15, 18)))
    spans = [[("email", 5, 10, 1.0), ("phone", 23, 26, 0.4), ("iban", 15, 18, 1.0)]]
    judged = judge([text], spans)
    email, phone, iban = (judged[kind, "en"] for kind in ("email", "phone", "iban"))
    assert (email.precision, email.recall, email.f1) == (1.0, 1.0, 1.0)
    assert (phone.found, len(phone.missed), len(phone.false)) == (0, 1, 1)
    assert iban.false == ["é a@b.org and [212] and 213"]


def test_contacts_that_a_page_does_not_show_are_not_missed() -> None:
    page = Marked("a", "call 212-555-0123", "en", (), {"phone": ("+1 212 555 0123",), "email": ("a@b.org",)})
    judged = judge_contacts([page], [[("phone", 5, 17, 0.4)]])
    assert (judged["phone"].found, judged["phone"].missed, judged["phone"].false) == (1, [], [])
    assert (judged["email"].found, judged["email"].missed) == (0, [])
