"""What `winnow evalsets` shows: items seen by set, one item's documents, and near copies of validation documents."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from rich.console import Console

from curation.core.wording import counted, listed, percent
from pipelines.render.console import plain, say, table
from pipelines.render.lineage import token_places
from pipelines.render.tables import Column, counts, view

if TYPE_CHECKING:  # slow to import
    from curation.account.evalsets.excerpts import ExcerptPiece, TextSpan
    from curation.account.evalsets.report import Check, OverlappingDocument, Report
    from curation.account.evalsets.seen import ItemExposure, SeenDocument
    from curation.account.evalsets.validation import NearCopy, ValidationOverlap

SHOWN = 10  # documents: --json has more
SPANS = 4
MEND = (
    "to mend: put every dedup before tokenize, with minhash to link near copies; with `keep: all` it drops none, and "
    "they still go to one side of the split"
)


def report(console: Console, found: "Report", html: str | None = None) -> None:
    if not found.complete:
        say(console, f"[yellow]note:[/] {plain(found.run)} is not finished: kept means kept so far")
    for number, check in enumerate(found.checks):
        if number:
            console.print()
        _check(console, check)
    if html is not None:
        say(console, f"written to {plain(html)}")


def heading(check: "Check") -> str:
    limit = f", contamination above an overlap of {check.limit:g}" if isfinite(check.limit) else ""
    return (
        f"{listed(check.stages)}: {check.method}, {check.action}, n-grams of {check.n} tokens{limit}; an item counts "
        f"from {check.min_tokens} shared tokens"
    )


def documents_line(check: "Check") -> str:
    return (
        f"{counted(check.documents, 'document')} read, {check.matched:,} of them with items; of these, {check.kept:,} "
        f"kept to the end, {check.still:,} with items left there"
    )


def _check(console: Console, check: "Check") -> None:
    say(console, f"[bold]{plain(heading(check))}[/]")
    say(console, documents_line(check))
    clean = [one for one in check.sets if not one.read.partly]
    touched = [one for one in check.sets if one.read.partly]
    if touched:
        console.print(view(SETS, touched, whole_numbers=True))
        for line in LEGEND:
            say(console, line)
    if clean:
        names = (f"{one.set} ({one.unchecked:,} of {one.items:,} unchecked)" for one in clean)
        say(console, f"no item seen of {plain(listed(names, len(clean)))}")
    for document in check.worst[:SHOWN]:
        _worst(console, document)
    if len(check.worst) > SHOWN:
        say(console, f"and {len(check.worst) - SHOWN:,} more of the worst; --json lists them")


def _packed(count: int | str) -> str:
    return count if isinstance(count, str) else f"{count:,}"


SETS = (
    Column("set"),
    *counts("items", "unchecked"),
    Column("read:\nwhole", "read.whole", ","),
    Column("answered", "read.answered", ","),
    Column("over", "read.over", ","),
    Column("partly", "read.partly", ","),
    Column("kept:\nwhole", "kept.whole", ","),
    Column("over", "kept.over", ","),
    Column("partly", "kept.partly", ","),
    Column("packed:\nwhole", lambda one: "–" if one.packed is None else one.packed.whole, _packed),
    Column("partly", lambda one: "–" if one.packed is None else one.packed.partly, _packed),
)
LEGEND = (
    "read: by these stages; kept: to the end, as the text is there; packed: in rows of the train split",
    "whole: the question, word for word; answered: and its answer, if that has more than three words, close after it",
    "over: above the limit; partly: any overlap that counts, these included; unchecked: too short, listed by --json",
)


def fate(document: "OverlappingDocument") -> str:
    if document.dropped_by is not None:
        return f"dropped by {document.dropped_by}: {document.reason}"
    return f"kept, in {counted(document.packed_rows, 'row')} of the train split" if document.packed_rows else "kept"


def _worst(console: Console, document: "OverlappingDocument") -> None:
    say(console, f"[bold]{plain(document.url or '(no url)')}[/]  {document.doc_id}")
    whole = ", whole" if document.whole else ""
    more = f", and {counted(document.items - 1, 'other item')}" if document.items > 1 else ""
    say(console, f"  {plain(document.item)}: overlap {document.overlap:.3f}{whole}{more}; {plain(fate(document))}")
    _excerpt(console, document.spans, document.excerpt)


def _excerpt(console: Console, spans: "Sequence[TextSpan]", pieces: "Sequence[ExcerptPiece]") -> None:
    """Marks are shown in reverse, and in brackets where a file or a pipe has no colours."""
    places = listed((f"{span.start:,}–{span.stop:,}" for span in spans), SPANS)
    left, right = ("[reverse]", "[/]") if console.is_terminal else ("⟦", "⟧")
    text = "".join(f"{left}{plain(_line(one.text))}{right}" if one.marked else plain(_line(one.text)) for one in pieces)
    say(console, f"  bytes {places}: {text}" if places else f"  {text}")


def _line(text: str) -> str:
    """The text in one line."""
    ends = " " if text[:1].isspace() else "", " " if text[-1:].isspace() else ""
    return ends[0] + " ".join(text.split()) + (ends[1] if text.strip() else "")


def seen(console: Console, found: "ItemExposure") -> None:
    item = found.item
    name = item.id or "the text"
    say(console, f"[bold]{plain(name)}[/]: {plain(_short(item.question))}")
    if item.same:
        say(console, f"the same text as {plain(listed(item.same))}")
    say(
        console,
        f"in {counted(found.found, 'document')}, in {found.whole:,} of them whole; {found.kept:,} kept to the end, "
        f"{found.kept_whole:,} of these with it whole",
    )
    if found.model is not None:
        read = f"has read it in {counted(len(found.documents), 'document')}" if found.documents else "has not read it"
        later = f", and {counted(found.later, 'document')} with it would come later" if found.later else ""
        say(console, f"{plain(found.model)}, {counted(found.steps or 0, 'step')} done, {read}{later}")
        if found.unchecked:
            say(
                console, f"[yellow]note:[/] {counted(found.unchecked, 'kept document')} with it not looked up: too many"
            )
    for document in found.documents[:SHOWN]:
        _seen_document(console, document)
    if len(found.documents) > SHOWN:
        say(console, f"and {len(found.documents) - SHOWN:,} more documents; --json lists them")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]} …"


def _seen_document(console: Console, document: "SeenDocument") -> None:
    reason = f"dropped by {document.stage}: {document.reason}"
    verdict = f"[red]{plain(reason)}[/]" if document.reason else "[green]kept[/]"
    held = "whole" if document.whole else f"overlap {document.overlap:.3f}"
    say(console, f"[bold]{plain(document.url or '(no url)')}[/]  {document.doc_id}  {held}  {verdict}")
    _excerpt(console, document.spans, document.excerpt)
    if document.tokens:
        tokens = document.tokens
        what = "the item's tokens" if document.exact else f"all {tokens['count']:,} tokens of the document"
        say(console, f"    {tokens['split']} split, {plain(tokens['file'])}, {what}:")
        for line in token_places(tokens):
            say(console, f"      {plain(line)}")


def validation(console: Console, found: "ValidationOverlap") -> None:
    checked = f"{found.checked:,} of them long enough for n-grams of {found.n} tokens"
    against = f"{counted(found.train_documents, 'training document')} in {counted(found.passes, 'pass', 'passes')}"
    run = plain(found.run)
    documents = counted(found.documents, "validation document")
    say(console, f"[bold]{run}[/]: {documents}, {checked}, against {against}")
    say(
        console,
        f"{found.shared:,} share an n-gram with a training document; of {found.near:,}, a single one holds "
        f"{100 * found.near_share:.0f} % or more of the tokens: near copies",
    )
    rows = [
        (f"{100 * float(share):.0f} % or more", f"{count:,}", percent(count, found.checked))
        for share, count in found.at_least.items()
    ]
    shares = ("of a document's tokens, in any training documents", " validation documents", " share")
    console.print(table(shares, rows, box=None, header_style="bold"))
    share = percent(found.shared_tokens, found.tokens)
    say(console, f"tokens in shared n-grams: {found.shared_tokens:,} of {found.tokens:,} ({share})")
    if found.worst:
        say(console, "the closest, each with the training document that holds most of it, and what they share there:")
    for pair in found.worst[:SHOWN]:
        _pair(console, pair)
    if len(found.worst) > SHOWN:
        say(console, f"and {len(found.worst) - SHOWN:,} more documents; --json lists them")
    if found.shared:
        say(console, MEND)


def _pair(console: Console, pair: "NearCopy") -> None:
    sides = [
        f"{side} {url or '(no url)'} {doc_id}"
        for side, url, doc_id in (
            ("validation", pair.validation_url, pair.validation_doc_id),
            ("train", pair.train_url, pair.train_doc_id),
        )
    ]
    say(console, f"[bold]{percent(pair.share, 1)}[/] in {counted(pair.grams, 'n-gram')}: {plain(sides[0])}")
    say(console, f"  {plain(sides[1])}")
    _excerpt(console, (), pair.excerpt)
