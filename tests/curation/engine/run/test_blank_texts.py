"""Documents without a character that shows are dropped as empty; those with another reason keep it."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.run import Run
from curation.core.document import DOCUMENT
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.engine.run.blank_texts import drop_blank


def reason(text: str | None, before: str | None = None) -> str | None:
    row = dict.fromkeys(DOCUMENT.names) | {"text": text, "drop_reason": before}
    after = drop_blank(pa.RecordBatch.from_pylist([row], schema=DOCUMENT))
    assert after.schema == DOCUMENT
    found: str | None = after["drop_reason"][0].as_py()
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "extract:empty", id="nothing"),
        pytest.param("  \n\t\r", "extract:empty", id="ASCII whitespace"),
        pytest.param("\u00a0\u2003\u3000\u2028", "extract:empty", id="other whitespace"),
        pytest.param("\u200b\ufeff\x00", "extract:empty", id="characters that do not show"),
        pytest.param("\u3164\u2800 \u115f\u1160\ufe0f\u034f", "extract:empty", id="fillers and selectors"),
        pytest.param(" \n.\n ", None, id="a full stop"),
        pytest.param("\u200b字", None, id="a letter behind one that does not show"),
        pytest.param(None, None, id="no text: whoever made the row says why"),
    ],
)
def test_blank_texts(text: str | None, expected: str | None) -> None:
    assert reason(text) == expected


def test_another_reason_stays() -> None:
    assert reason("", "takedown") == "takedown"


RECIPE = """
version: 1
name: blank
sources:
  a:
    - read: {jsonl: {paths: ["%s"]}}
    - rewrite: {c4_lines: {min_words: 1}}
joined:
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: 0}
  - pack: {sequence_length: 8}
"""


def test_neither_a_blank_row_nor_one_that_a_rewriter_emptied_becomes_tokens(tmp_path: Path) -> None:
    texts = ["It ends here.", "it has no end", "  ", "And here."]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    runner.curate(parse(RECIPE % (tmp_path / "a.jsonl"), "r.yaml"), str(tmp_path / "run"), Inline())
    funnel = Run.open(str(tmp_path / "run")).funnel()
    dropped = {line.name: line.dropped for line in funnel.stages if line.dropped}
    assert dropped == {"read": {"extract:empty": 1}, "tokenize": {"extract:empty": 1}}
    assert [pack.documents for pack in funnel.packs] == [2]
