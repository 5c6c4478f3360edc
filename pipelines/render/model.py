"""What `winnow model` shows: how good a trained model is, and how one scores documents."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from pipelines.render.console import plain, say, table
from pipelines.render.tables import megabytes

FIGURES = ("auc", "average_precision", "brier", "calibration_error")


def trained(console: Console, facts: dict[str, Any], files: Mapping[str, bytes]) -> None:
    groups = facts["sample"].get("groups", [])
    if groups:
        names = ("documents", "held_out", "repeated", "conflicts")
        rows = ((plain(group["group"]), *(f"{group.get(name, 0):,}" for name in names)) for group in groups)
        console.print(table(("label", *(f" {name.replace('_', ' ')}" for name in names)), rows))
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
    size = megabytes(sum(map(len, files.values())))
    say(console, f"{plain(facts['model'])}: {facts['kind']}, {len(files)} files, {size} MB")


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
    console.print(
        table((plain(title), *(f" p{share}" for share in scores["quantiles"])), [_row("", scores["quantiles"])])
    )
    console.print(table(("threshold", *(f" {cut}" for cut in shown)), [_row("kept", shown)]))
    if scores["unscored"]:
        say(console, f"{scores['unscored']:,} documents have no word and so no score")
    for side in ("best", "worst"):
        for one in scores[side]:
            say(console, f"{side} {one['score']:.4f}  {plain(' '.join(one['text'].split()))}")


def predicted(console: Console, facts: dict[str, Any]) -> None:
    """An n-gram model."""
    _say_origin(console, facts)
    if "ngrams" in facts:
        orders = enumerate(facts["ngrams"], 1)
        say(console, "; ".join(f"{count:,} {order}-grams" for order, count in orders))
    _say_reading(console, facts)
    if facts["pieces"]:
        say(console, f"tokens: pieces of the SentencePiece model {facts['pieces'][:16]}…")
    scores = facts.get("scores")
    if scores is None:
        return
    title = f"{scores['documents']:,} documents"
    rows = [_row(name.replace("_", " "), scores[name]) for name in ("perplexity", "bits_per_character")]
    console.print(table((title, *(f" p{share}" for share in scores["perplexity"])), rows))
    if scores["unscored"]:
        say(console, f"{scores['unscored']:,} documents have no word and so no perplexity")


def _say_origin(console: Console, facts: dict[str, Any]) -> None:
    origin = "" if facts["from_winnow"] else ", from another program"
    say(console, f"{plain(facts['model'])}: {facts['kind']}{origin}, {facts['file_bytes']:,} bytes")


def _say_reading(console: Console, facts: dict[str, Any]) -> None:
    say(console, f"normalization: {facts['normalization'] or 'unknown'}" + _named("language", facts["language"]))


def _row(name: str, values: Mapping[str, float]) -> tuple[str, ...]:
    return (name, *(f"{value:.3f}" for value in values.values()))


def _named(name: str, value: str) -> str:
    return f"; {name}: {plain(value)}" if value else ""
