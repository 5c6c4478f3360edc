"""What `winnow model` shows: how good a trained model is, and how one scores documents."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from pipelines.render.console import plain, say, table
from pipelines.render.tables import Column, counts, megabytes, view

FIGURES = ("auc", "average_precision", "brier", "calibration_error")
LABELS = (Column("label", "group"), *counts("documents", "held out", "repeated", "conflicts"))
CURVE = (*counts("pages"), *(Column(name, name.lower(), ".3f") for name in ("F1", "precision", "recall")))
SIDES = (
    Column("", "side"),
    Column("n-grams", "ngrams", ","),
    Column("buckets in use", "buckets", ","),
    Column("mean log ratio", form="+.4f"),
)


def trained(console: Console, facts: dict[str, Any], files: Mapping[str, bytes]) -> None:
    from curation.extract.student.student_file import unpacked  # loads kernels

    _say_sample(console, facts["sample"])
    if "report.json" in files:
        report = json.loads(files["report.json"])
        for label, figures in report["evaluation"].items():
            good = ", ".join(f"{name.replace('_', ' ')} {figures[name]:.4f}" for name in FIGURES)
            best = figures["best"]
            say(
                console,
                f"{plain(label)}, on {figures['documents']:,} documents held out: {good}; "
                f"F1 {best['f1']:.4f} from {best['threshold']:.4f} on",
            )
        if (agreement := report.get("agreement")) is not None:
            cuts = ", ".join(f"{cut['f1']:.3f} from {cut['cut']:g}" for cut in agreement["cuts"])
            say(console, f"grades beside the teacher's: Spearman {agreement['spearman']:.3f}; F1 {cuts}")
    if "extractor.bin" in files:
        taught(console, {**facts, **unpacked(files["extractor.bin"])[1]})
    size = megabytes(sum(map(len, files.values())))
    say(console, f"{plain(facts['model'])}: {facts['kind']}, {len(files)} files, {size} MB")


def _say_sample(console: Console, sample: dict[str, Any]) -> None:
    groups = sample["groups"]
    if sample["by"]:
        absent = dict.fromkeys(("documents", "held_out", "repeated", "conflicts"), 0)
        console.print(view(LABELS, [absent | group for group in groups]))
        return
    for group in groups:
        learnt = megabytes(group["sample_bytes"])
        available = megabytes(group["available_bytes"])
        say(console, f"learned from {group['documents']:,} documents, {learnt} MB of the {available} MB there are")


def inspected(console: Console, facts: dict[str, Any]) -> None:
    """A classifier."""
    _say_origin(console, facts)
    say(console, f"labels: {plain(', '.join(facts['labels']))}" + _named("positive", facts["positive"]))
    _say_reading(console, facts)
    scores = facts.get("scores")
    if scores is None:
        return
    shown = dict(list(scores["kept"].items())[1::2])
    title = f"score of {scores['label']}, {scores['documents']:,} documents"
    rows = [_row("score", scores["quantiles"])] + ([_row("grade", scores["grades"])] if "grades" in scores else [])
    console.print(table((plain(title), *(f" p{share}" for share in scores["quantiles"])), rows))
    console.print(table(("threshold", *(f" {cut}" for cut in shown)), [_row("kept", shown)]))
    if scores["unscored"]:
        say(console, f"{scores['unscored']:,} documents have no word and so no score")
    _say_examples(console, scores)


def predicted(console: Console, facts: dict[str, Any]) -> None:
    """An n-gram model."""
    _say_origin(console, facts)
    if "ngrams" in facts:
        orders = enumerate(facts["ngrams"], 1)
        of = "the first of two halves: " if facts["halves"] else ""
        say(console, of + "; ".join(f"{count:,} {order}-grams" for order, count in orders))
    _say_reading(console, facts)
    if facts["pieces"]:
        say(console, f"tokens: pieces of the SentencePiece model {facts['pieces'][:16]}…")
    scores = facts.get("scores")
    if scores is None:
        return
    title = f"{scores['documents']:,} documents"
    if facts["halves"]:
        say(console, "each document is scored by the half that did not learn from its text")
    rows = [_row(name.replace("_", " "), scores[name]) for name in ("perplexity", "bits_per_character")]
    console.print(table((title, *(f" p{share}" for share in scores["perplexity"])), rows))
    if scores["unscored"]:
        say(console, f"{scores['unscored']:,} documents have no word and so no perplexity")


def taught(console: Console, facts: dict[str, Any]) -> None:
    """A learnt extractor."""
    teachers = plain(" and ".join(facts["teacher"]))
    held = facts["held_out"]
    say(console, f"{plain(facts['model'])}: learnt from {teachers} on {facts['lessons']:,} pages")
    say(
        console,
        f"alike to that on {held['pages']:,} pages of {held['hosts']:,} other hosts, by pages learnt from:",
    )
    console.print(view(CURVE, facts["curve"]))
    if "html" in facts:
        say(console, f"what is kept of the page, and why: {plain(facts['html'])}")


def weighed(console: Console, facts: dict[str, Any]) -> None:
    """The counts of dsir."""
    say(console, f"{plain(facts['model'])}: dsir, {facts['file_bytes']:,} bytes")
    say(
        console,
        f"n-grams of 1 to {facts['order']} words in {facts['buckets']:,} buckets, which do not tell their n-grams",
    )
    console.print(view(SIDES, [{"side": side, **facts[side]} for side in ("target", "raw")]))
    ratios = facts["log_ratios"]
    console.print(table(("", *(f" p{share}" for share in ratios)), [_row("log ratio of buckets", ratios)]))
    scores = facts.get("scores")
    if scores is None:
        return
    rows = [_row(name.replace("_", " "), scores[name]) for name in ("log_weight", "log_weight_per_word")]
    console.print(table((f"{scores['documents']:,} documents", *(f" p{share}" for share in ratios)), rows))
    say(console, f"{100 * scores['likelier_in_target']:.1f} % are likelier in the target (log weight above 0)")
    if scores["unscored"]:
        say(console, f"{scores['unscored']:,} documents have no word and so no weight")
    for side, ngrams in scores["ngrams"].items():
        named = ", ".join(f"{one['ngram']} ({one['log_ratio']:+.2f}, {one['occurrences']:,} times)" for one in ngrams)
        say(console, f"what speaks for the {side} most: {plain(named)}")
    _say_examples(console, scores)


def _say_examples(console: Console, scores: dict[str, Any]) -> None:
    for side in ("best", "worst"):
        for one in scores[side]:
            say(console, f"{side} {one['score']:.4f}  {plain(' '.join(one['text'].split()))}")


def _say_origin(console: Console, facts: dict[str, Any]) -> None:
    origin = "" if facts["from_winnow"] else ", from another program"
    say(console, f"{plain(facts['model'])}: {facts['kind']}{origin}, {facts['file_bytes']:,} bytes")


def _say_reading(console: Console, facts: dict[str, Any]) -> None:
    say(console, f"normalization: {facts['normalization'] or 'unknown'}" + _named("language", facts["language"]))


def _row(name: str, values: Mapping[str, float]) -> tuple[str, ...]:
    return (name, *(f"{value:.3f}" for value in values.values()))


def _named(name: str, value: str) -> str:
    return f"; {name}: {plain(value)}" if value else ""
