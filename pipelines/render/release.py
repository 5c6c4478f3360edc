"""Renders a release summary."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from pipelines.render.console import plain, say


def release(console: Console, facts: Mapping[str, Any], folder: str) -> None:
    if safety := facts["safety"]:
        written = safety["generations"]
        passages = safety["memorisation"]
        figures = {
            "texts with personal data": (written["personal_data"]["texts"], written["texts"]),
            "texts with listed terms": (written["listed_terms"]["texts"], written["texts"]),
            "passages of its data repeated": (passages["trained"]["repeated"], passages["trained"]["passages"]),
            "passages of other text repeated": (passages["held_out"]["repeated"], passages["held_out"]["passages"]),
        }
        for name, (found, asked) in figures.items():
            say(console, f"{name}: {found:,} of {asked:,}")
    say(console, plain(f"{folder}: model, tokenizer, README.md (its card), release.json, SHA256SUMS"))
