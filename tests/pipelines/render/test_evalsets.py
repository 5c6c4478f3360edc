"""Tables and the page of evaluation sets; everything from documents is escaped."""

from curation.account.evalsets.excerpts import ExcerptPiece, TextSpan
from curation.account.evalsets.report import Check, OverlappingDocument, Report, SetReport
from curation.account.evalsets.tally import SeenItems
from curation.account.evalsets.validation import NearCopy, ValidationOverlap
from pipelines.render.evalsets import MEND, report, validation
from pipelines.render.evalsets_page import page
from tests.pipelines.render.printed import printed

HOSTILE = "<script>alert(1)</script>[red]&"
READ = SeenItems(3, 2, 4, 1234, 6)
KEPT = SeenItems(0, 0, 0, 0, 0)
DOCUMENT = OverlappingDocument(
    doc_id="ab",
    url=f"http://{HOSTILE}",
    item=f"set/{HOSTILE}",
    overlap=0.5,
    whole=False,
    items=3,
    dropped_by=None,
    reason=None,
    packed_rows=2,
    spans=(TextSpan(3, 1009),),
    excerpt=(ExcerptPiece("before ", False), ExcerptPiece(HOSTILE, True), ExcerptPiece(f" {HOSTILE}\x1b[31m", False)),
)
CHECK = Check(
    stages=("one", "two"),
    method="gpt3",
    action="drop",
    n=13,
    min_tokens=13,
    limit=0.0,
    documents=10,
    matched=6,
    kept=1,
    still=0,
    sets=(SetReport("seen", 5000, 7, READ, KEPT, None), SetReport("clean", 9, 9, KEPT, KEPT, None)),
    worst=(DOCUMENT,),
    unchecked=("clean/0",),
)
REPORT = Report(f"runs/{HOSTILE}", False, (CHECK,))


def test_the_report() -> None:
    shown = printed(report, REPORT)
    assert shown[0] == f"note: runs/{HOSTILE} is not finished: kept means kept so far"
    assert "6 of them with items; of these, 1 kept to the end, 0 with items left there" in shown[2]
    (row,) = (line for line in shown if "│ seen" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells == ["seen", "5,000", "7", "3", "2", "4", "1,234", "0", "0", "0", "–", "–"]
    assert "no item seen of clean (9 of 9 unchecked)" in shown
    assert f"  set/{HOSTILE}: overlap 0.500, and 2 other items; kept, in 2 rows of the train split" in shown
    assert shown[-1] == f"  bytes 3–1,009: before ⟦{HOSTILE}⟧ {HOSTILE}\ufffd[31m"


def test_the_page_escapes_everything() -> None:
    text = page(REPORT)
    assert "<script" not in text
    assert "<mark>&lt;script&gt;alert(1)&lt;/script&gt;[red]&amp;</mark>" in text
    assert "<td>1,234</td>" in text
    assert text.count("<tr>") == 4
    assert "http://" not in text.replace("http://&lt;", "")  # nothing is loaded from elsewhere


def test_near_copies_say_how_to_mend() -> None:
    pair = NearCopy(0.9, 12, "http://a.example/", "id-a", None, "id-b", (ExcerptPiece("same", True),))
    found = ValidationOverlap("run", 13, 4, 3, 9, 1, 1, 0.8, {"0.5": 1}, 100, 27, 1, (pair,))
    shown = printed(validation, found)
    assert "4 validation documents, 3 of them long enough" in shown[0]
    assert "tokens in shared n-grams: 27 of 100 (27.0 %)" in shown
    assert "90.0 % in 12 n-grams: validation http://a.example/ id-a" in shown
    assert shown[-3:] == ["  train (no url) id-b", "  ⟦same⟧", MEND]
    clean = ValidationOverlap("run", 13, 4, 3, 9, 0, 0, 0.8, {"0.5": 0}, 100, 0, 1, ())
    assert MEND not in printed(validation, clean)
