"""From counts to comparisons, by hand."""

import numpy as np
import pytest

from curation.account.audit.groups import DocumentTraits, Membership
from curation.account.audit.intervals import fisher, newcombe
from curation.account.audit.rates import GroupRate, corrected, rates_of
from curation.account.audit.tallies import StageTally

SHORT = 0
LONG = 3
KEPT = 0
WORDS = 1
LINES = 2


def tallied(by: str, *documents: tuple[int, int, int, int, int]) -> StageTally:
    """(documents, group, domain, length, reason) each; a group of -1 for none."""
    rows = np.array([one[1:] for one in documents for _ in range(one[0])], np.int64).reshape(-1, 4)
    stage = StageTally()
    stage.reasons.update({"q.words:low": WORDS, "q.lines:high": LINES})
    inside = np.flatnonzero(rows[:, 0] >= 0)
    described = DocumentTraits(rows[:, 1], rows[:, 2], {by: Membership(inside, rows[inside, 0])})
    stage.add(described, np.arange(len(rows)), rows[:, 3])
    return stage


def rates(by: str, *documents: tuple[int, int, int, int, int]) -> list[GroupRate]:
    return rates_of("stage", by, tallied(by, *documents), ("a", "b", "c"), ("x.org", "y.org"))


def test_a_group_against_the_rest() -> None:
    a, b = rates(
        "country",
        (20, 0, 0, LONG, WORDS),
        (4, 0, 0, LONG, LINES),
        (16, 0, 1, LONG, KEPT),
        (10, 1, 1, LONG, WORDS),
        (30, 1, 1, LONG, LINES),
        (60, 1, 1, LONG, KEPT),
    )
    assert (a.group, a.documents, a.dropped, a.rate, a.kept) == ("a", 40, 24, 0.6, 16)
    assert (a.rest_documents, a.rest_dropped, a.rest_rate) == (100, 40, 0.4)
    assert a.difference == pytest.approx(0.2)
    assert a.low < 0.2 < a.high
    assert (a.ratio, a.excess) == (pytest.approx(1.5), pytest.approx(8.0))
    # Words drop half of a and a tenth of the rest; lines a tenth, and three tenths of the rest.
    assert (a.reason, a.reason_documents) == ("q.words:low", 20)
    assert a.reasons == {"q.words:low": 20, "q.lines:high": 4}
    assert (b.reason, b.rest_documents) == ("q.words:low", 40)  # which spares it most
    assert (a.largest_domain, a.largest_domain_documents, a.rate_elsewhere, a.one_domain) == ("x.org", 24, 0.0, False)


def test_equal_length_explains_a_difference() -> None:
    # Of short documents half are dropped and of long ones a tenth, in the group and outside it.
    a, b = rates(
        "country",
        (40, 0, 0, SHORT, WORDS),
        (40, 0, 0, SHORT, KEPT),
        (2, 0, 0, LONG, WORDS),
        (18, 0, 0, LONG, KEPT),
        (10, 1, 1, SHORT, WORDS),
        (10, 1, 1, SHORT, KEPT),
        (8, 1, 1, LONG, WORDS),
        (72, 1, 1, LONG, KEPT),
    )
    assert a.ratio == pytest.approx(0.42 / 0.18)
    assert a.ratio_at_equal_length == b.ratio_at_equal_length == pytest.approx(1.0)


def test_lengths_without_others_are_left_out() -> None:
    a, _ = rates(
        "country", (5, 0, 0, SHORT, WORDS), (10, 0, 0, LONG, WORDS), (10, 1, 1, LONG, WORDS), (10, 1, 1, LONG, KEPT)
    )
    assert a.ratio_at_equal_length == pytest.approx(10 / 5)


def test_one_domain() -> None:
    a, _ = rates(
        "country",
        (50, 0, 0, LONG, WORDS),
        (3, 0, 1, LONG, WORDS),
        (27, 0, 1, LONG, KEPT),
        (10, 1, 2, LONG, WORDS),
        (90, 1, 2, LONG, KEPT),
    )
    assert (a.rate_elsewhere, a.one_domain) == (0.1, True)


def test_a_group_of_one_domain_only_has_no_elsewhere() -> None:
    a, _ = rates("country", (50, 0, 0, LONG, WORDS), (10, 1, 1, LONG, WORDS), (90, 1, 1, LONG, KEPT))
    assert (a.rate_elsewhere, a.one_domain) == (None, True)


def test_terms_are_compared_with_documents_in_no_group() -> None:
    (a,) = rates(
        "mention", (30, 0, 0, LONG, WORDS), (10, 0, 0, LONG, KEPT), (20, -1, 0, LONG, WORDS), (60, -1, 0, LONG, KEPT)
    )
    assert (a.documents, a.dropped, a.rest_documents, a.rest_dropped) == (40, 30, 80, 20)


def test_small_groups_are_not_compared() -> None:
    a, b = rates("country", (29, 0, 0, LONG, WORDS), (1, 1, 0, LONG, WORDS), (99, 1, 0, LONG, KEPT))
    assert a.p is None
    assert b.p is None
    assert corrected([a])[0].finding == ""


def test_nothing_to_compare() -> None:
    assert rates("country", (40, 0, 0, LONG, KEPT), (40, 1, 0, LONG, KEPT)) == []
    assert rates("country", (40, 0, 0, LONG, WORDS), (40, 0, 0, LONG, KEPT)) == []  # one group
    assert rates("mention") == rates("country") == []


def test_findings_are_corrected_over_all() -> None:
    kind = ((30, 0, 0, LONG, WORDS), (10, 0, 0, LONG, KEPT), (25, 1, 0, LONG, WORDS), (75, 1, 0, LONG, KEPT))
    a, b = corrected(rates("country", *kind))
    assert a.p is not None
    assert a.p_corrected == pytest.approx(2 * a.p)
    assert (a.finding, b.finding) == ("more", "less")
    weak = rates(
        "country", (18, 0, 0, LONG, WORDS), (22, 0, 0, LONG, KEPT), (25, 1, 0, LONG, WORDS), (75, 1, 0, LONG, KEPT)
    )
    assert weak[0].p is not None
    assert 0.025 < weak[0].p < 0.05
    assert {rate.finding for rate in corrected(weak)} == {""}


def test_domains_whose_pages_are_alike_count_for_fewer_documents() -> None:
    a, b = rates(
        "country",
        (40, 0, 0, LONG, WORDS),
        (20, 0, 1, LONG, WORDS),
        (20, 0, 1, LONG, KEPT),
        (20, 1, 2, LONG, WORDS),
        (60, 1, 2, LONG, KEPT),
    )
    # Of a's two domains 40 of 40 and 20 of 40 are dropped: rate 3/4, residuals 10 and -10, so 2/1 * 200 / (80 * 3/16).
    assert a.design_effect == b.rest_design_effect == pytest.approx(80 / 3)
    assert a.rest_design_effect == b.design_effect == 1.0  # of no compared domain
    assert (a.low, a.high) == pytest.approx(newcombe(2.25, 3, 20, 80))
    assert a.p == pytest.approx(fisher(2, 3, 20, 80))
    assert (a.documents, a.rate, a.largest_domain_documents, a.rate_elsewhere) == (80, 0.75, 40, 0.5)
