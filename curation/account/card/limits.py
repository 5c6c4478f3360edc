"""What a run cannot vouch for: one sentence per known limit, from the run's own figures.

The sentences are plain text. They quote nothing from documents, pages or paths.
"""

from collections import defaultdict
from collections.abc import Iterator

from curation.account.card.facts import Card
from curation.account.card.stage_facts import DropCount
from curation.core.wording import counted, listed, percent

NEAR = ("minhash", "simhash", "semantic", "winnowing")  # dedup methods that find near-duplicates
JUDGED = {  # text in a component's key -> the sentence for a run without such a component
    "pii": "No stage looked for personal data: names, addresses and numbers of people may be in the texts.",
    "contamin": "No stage looked for the questions of test sets: scores on public benchmarks may be too good.",
    "secrets": "No stage looked for keys and tokens: secrets of programs may be in the texts.",
    "toxicity": "No stage judged whether texts are toxic or hateful.",
    "opt_outs": "No stage honoured opt-outs: sites or pages may refuse training on texts that are in the data.",
}
SHOWN = 4  # names in a sentence


def known_limits(card: Card) -> tuple[str, ...]:
    """The sentences, the most important first."""
    about = (
        _licences,
        _not_looked_for,
        _checked,
        _opted_out,
        _duplicates,
        _languages,
        _lost,
        _taken_down,
        _mixture,
        _packing,
    )
    return tuple(sentence for sentences in about for sentence in sentences(card))


def _licences(card: Card) -> Iterator[str]:
    if not card.complete:
        yield f"The run is not finished: every figure covers its {counted(len(card.stages), 'sealed stage')} only."
    total = card.contents.total.documents
    unstated = sum(share.documents for share in card.contents.licences if share.name is None)
    if not card.about.licence:
        yield "No licence of the data set as a whole was given for this card."
    if unstated:
        yield f"Without any declared licence: {_of(unstated, total)}."
    if unstated < total:
        yield "A licence is what the page, file or recipe declares; nobody checked the right to grant it."


def _not_looked_for(card: Card) -> Iterator[str]:
    keys = [key for stage in card.stages for key in stage.components]
    yield from (sentence for text, sentence in JUDGED.items() if not any(text in key for key in keys))


def _checked(card: Card) -> Iterator[str]:
    if card.redacted:
        yield "Personal data and secrets were found by patterns: names, and other forms of them, may be in the texts."
    kept = dict.fromkeys(one.stage for one in card.redacted if one.originals)
    if kept:
        yield f"The stages before {listed(kept, SHOWN)} hold the texts as they were before values were taken out."
    if card.contaminated:
        yield "Items of evaluation sets were found by their words: paraphrases and translations may be in the texts."


def _opted_out(card: Card) -> Iterator[str]:
    for one in card.opt_outs:
        for rule in (rule for rule in one.rules if rule.kept):
            yield f"{one.stage} kept documents that {rule.rule} refuses: {_of(rule.kept, one.documents)}."
        if one.asked and one.unknown > one.unknown_dropped:
            unknown = _of(one.unknown, one.documents)
            yield f"Without a robots.txt of their time, so that nothing is known of their sites' rules: {unknown}."


def _duplicates(card: Card) -> Iterator[str]:
    stages = [stage for stage in card.stages if stage.verb.clusters]
    methods = {key for stage in stages for key in stage.components}
    if not stages:
        yield "No duplicates were removed."
    elif not methods & set(NEAR):
        yield "Near-duplicates were not removed: documents that differ in a few words are all in the data."
    if stages and len(card.inputs) > 1 and not any(stage.chain == "joined" for stage in stages):
        yield "Each source was deduplicated separately: copies of a document in two sources were not removed."


def _languages(card: Card) -> Iterator[str]:
    by = card.contents.languages_by
    if by == "language":
        yield "Languages are a classifier's guess; it often mistakes short texts and texts in two languages."
    elif any(share.name is not None for share in card.contents.languages):
        yield "Languages are as pages or records declare them; nobody checked them."
    elif by:
        yield "The language of the documents is unknown."


def _lost(card: Card) -> Iterator[str]:
    faults = sum(entry.faults for entry in card.inputs)
    if faults:
        yield f"{counted(faults, 'fault')} in the input files: records there may be missing, or may lack a part."
    empty = sum(entry.documents for entry in _dropped(card, "extract:"))
    if empty:
        records = sum(entry.records for entry in card.inputs)
        yield f"No text could be extracted: {_of(empty, records, 'record')}."
    failed = _dropped(card, "error.")
    if failed:
        names = listed((dropped.reason for dropped in failed), SHOWN)
        documents = counted(sum(entry.documents for entry in failed), "document")
        yield f"Dropped because a rule failed with an error: {documents} ({names})."
    limits = [f"{limit} in {stage.name}" for stage in card.stages for limit in stage.never_fired]
    if limits:
        yield f"Limits that no document broke: {listed(limits, SHOWN)}."


def _dropped(card: Card, beginning: str) -> list[DropCount]:
    dropped = (entry for stage in card.stages for entry in stage.dropped if entry.reason.startswith(beginning))
    return sorted(dropped, key=lambda entry: (-entry.documents, entry.reason))


def _taken_down(card: Card) -> Iterator[str]:
    documents = sum(takedown.documents for takedown in card.takedowns)
    if documents:
        yield (
            f"Taken down on request: {counted(documents, 'document')}. A tokenizer fitted in this run or "
            "a model trained on it before has still seen them."
        )
    if any(takedown.files is None for takedown in card.takedowns):
        yield "A takedown is not finished: some files still hold texts to erase. Run the same command again."
    undated = sum(share.undated for share in card.contents.sources)
    if undated:
        yield f"Without a date: {_of(undated, card.contents.total.documents)}."


def _mixture(card: Card) -> Iterator[str]:
    if card.mixture is None:
        return
    epochs = defaultdict[str, float](float)
    for line in card.mixture.lines:
        epochs[line.source] += line.epochs
    repeated = [f"{source} {times:.2f} times" for source, times in epochs.items() if times > 1]
    if repeated:
        yield f"Training sees sources more than once: {listed(repeated, SHOWN)}."
    partly = [f"{source} {100 * times:.1f} %" for source, times in epochs.items() if 0 < times < 0.995]
    if partly:
        yield f"Training sees only part of some sources: {listed(partly, SHOWN)}."
    left_out = [source for source, times in epochs.items() if not times]
    if left_out:
        yield f"Training sees nothing of {listed(left_out, SHOWN)}."
    capped = [line.source for line in card.mixture.lines if line.capped]
    if capped:
        names = listed(dict.fromkeys(capped), SHOWN)
        yield f"The mixture has less than its target from {names}: there was not enough text."
    short = [phase["name"] for phase in card.mixture.phases if phase["short"]]
    if short:
        yield f"Shorter than its target, because all its sources ran out: phase {', '.join(short)} of the mixture."


def _packing(card: Card) -> Iterator[str]:
    for packing in card.packings:
        cut = sum(split.cut for split in packing.splits)
        documents = sum(split.documents for split in packing.splits)
        if packing.method == "concat":
            yield "Rows are cut from one stream of tokens: most of them begin and end inside a document."
        elif cut:
            yield f"Longer than a row of {packing.row_tokens:,} tokens and cut: {_of(cut, documents)}."
    if any(split.split == "validation" and split.documents for packing in card.packings for split in packing.splits):
        yield (
            "Validation documents were drawn by a hash of their text, or of their cluster where a dedup stage linked "
            "them: other near-duplicates may be in both splits."
        )


def _of(part: int, total: int, noun: str = "document") -> str:
    """ "12 of 3,400 documents (0.4 %)"."""
    return f"{part:,} of {counted(total, noun)} ({percent(part, max(total, 1))})"
