"""What a run cannot vouch for: a sentence for each, from its own figures, and none for what it did do.

The sentences are plain text without anything that documents, pages or paths say.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from curation.account.card.facts import Card
from curation.account.card.stages import Dropped
from curation.account.card.text import counted, percent

NEAR = ("minhash", "simhash", "semantic", "winnowing")  # dedup methods that find documents which are not quite equal
JUDGED = {  # part of a component's key -> the sentence for a run without any such component
    "pii": "No stage looked for personal data: names, addresses and numbers of people may be in the texts.",
    "contamin": "No stage looked for the questions of test sets: scores on public benchmarks may be too good.",
    "toxicity": "No stage judged whether texts are toxic or hateful.",
}
SHOWN = 4  # names in a sentence


def known_limits(card: Card) -> tuple[str, ...]:
    """The sentences, what weighs most first."""
    about = (_licences, _not_looked_for, _duplicates, _languages, _lost, _taken_down, _mixture, _packing)
    return tuple(sentence for sentences in about for sentence in sentences(card))


def _licences(card: Card) -> Iterator[str]:
    if not card.complete:
        yield f"The run is not finished: every figure is of its {counted(len(card.stages), 'sealed stage')}."
    total = card.contents.total.documents
    unstated = sum(share.documents for share in card.contents.licences if share.name is None)
    if not card.about.licence:
        yield "No licence of the data set as a whole was given for this card."
    if unstated:
        yield f"Without any declared licence: {_of(unstated, total)}."
    if unstated < total:
        yield "A licence is what the page, file or recipe declares; nobody checked that it was theirs to give."


def _not_looked_for(card: Card) -> Iterator[str]:
    keys = [key for stage in card.stages for key in stage.parts]
    yield from (sentence for part, sentence in JUDGED.items() if not any(part in key for key in keys))


def _duplicates(card: Card) -> Iterator[str]:
    stages = [stage for stage in card.stages if stage.verb.clusters]
    methods = {key for stage in stages for key in stage.parts}
    if not stages:
        yield "No duplicates were removed."
    elif not methods & set(NEAR):
        yield "Near-duplicates were not removed: documents that differ in a few words are all in the data."
    if stages and len(card.inputs) > 1 and not any(stage.chain == "joined" for stage in stages):
        yield "Each source was deduplicated by itself: copies of a document in two sources were not removed."


def _languages(card: Card) -> Iterator[str]:
    by = card.contents.languages_by
    if by == "language":
        yield "Languages are a classifier's guess; short texts and texts in two languages are often taken for another."
    elif any(share.name is not None for share in card.contents.languages):
        yield "Languages are counted as pages or records declare them, which nobody checked."
    elif by:
        yield "No language is known of any document."


def _lost(card: Card) -> Iterator[str]:
    faults = sum(one.faults for one in card.inputs)
    if faults:
        yield f"{counted(faults, 'fault')} in the input files: what stood there is not in the data."
    empty = sum(one.documents for one in _dropped(card, "extract:"))
    if empty:
        records = sum(one.records for one in card.inputs)
        yield f"Without any text that could be extracted: {_of(empty, records, 'record')}."
    failed = _dropped(card, "error.")
    if failed:
        names = _few([one.reason for one in failed])
        documents = counted(sum(one.documents for one in failed), "document")
        yield f"Dropped because a rule itself failed: {documents} ({names})."
    limits = [f"{limit} in {stage.name}" for stage in card.stages for limit in stage.never_fired]
    if limits:
        yield f"Limits that no document was beyond: {_few(limits)}."


def _dropped(card: Card, beginning: str) -> list[Dropped]:
    dropped = (one for stage in card.stages for one in stage.dropped if one.reason.startswith(beginning))
    return sorted(dropped, key=lambda one: (-one.documents, one.reason))


def _taken_down(card: Card) -> Iterator[str]:
    documents = sum(one.documents for one in card.takedowns)
    if documents:
        yield (
            f"Taken down on request: {counted(documents, 'document')}. What was learnt before, a tokenizer of "
            "this run or a model trained on it, has still seen them."
        )
    if any(one.files is None for one in card.takedowns):
        yield "A takedown is not finished: texts that were to go are still in some files. Run the same command again."
    undated = sum(share.undated for share in card.contents.sources)
    if undated:
        yield f"Without a date: {_of(undated, card.contents.total.documents)}."


def _mixture(card: Card) -> Iterator[str]:
    if card.mixture is None:
        return
    seen = defaultdict[str, float](float)
    for line in card.mixture.lines:
        seen[line.source] += line.epochs
    repeated = [f"{source} {times:.2f} times" for source, times in seen.items() if times > 1]
    if repeated:
        yield f"Training sees sources more than once: {_few(repeated)}."
    partly = [f"{source} {100 * times:.1f} %" for source, times in seen.items() if 0 < times < 0.995]
    if partly:
        yield f"Training sees a part of some sources only: {_few(partly)}."
    left_out = [source for source, times in seen.items() if not times]
    if left_out:
        yield f"Training sees nothing of {_few(left_out)}."
    capped = [line.source for line in card.mixture.lines if line.capped]
    if capped:
        yield f"The mixture has less than asked of {_few(list(dict.fromkeys(capped)))}: there was not enough text."
    short = [phase["name"] for phase in card.mixture.phases if phase["short"]]
    if short:
        yield f"Shorter than asked, because all its sources ran out: phase {', '.join(short)} of the mixture."


def _packing(card: Card) -> Iterator[str]:
    for packing in card.packings:
        cut = sum(split.cut for split in packing.splits)
        documents = sum(split.documents for split in packing.splits)
        if packing.method == "concat":
            yield "Rows are cut from one stream of tokens: most begin and end inside a document."
        elif cut:
            yield f"Longer than a row of {packing.row_tokens:,} tokens and cut: {_of(cut, documents)}."
    if any(split.split == "validation" and split.documents for one in card.packings for split in one.splits):
        yield (
            "Validation documents were drawn by a hash of their text: exact copies are on one side, near-duplicates "
            "may be on both."
        )


def _few(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _of(part: int, total: int, noun: str = "document") -> str:
    """ "12 of 3,400 documents (0.4 %)"."""
    return f"{part:,} of {counted(total, noun)} ({percent(part, max(total, 1))})"
