"""JSON that lies in a run or in a training is read by its declared shape, so that no damage to it is a traceback.

READERS says which other modules read JSON, and what they read.
"""

import ast
from pathlib import Path

import pytest

from tests.contracts.test_shape import FILES, module_name, tree

ROOMS = ("curation.core", "curation.engine", "curation.account", "curation.tokens", "training", "pipelines", "cluster")
READERS = {
    "curation.core.json_files": "every file of a run or a training, by its shape",
    "curation.core.commits": "values in a file with a checksum, by their shape",
    "curation.core.manifest": "values that were written a line before",
    "curation.core.model_folder": "a model of transformers, whose values it checks",
    "curation.core.row_files": "what DuckDB says of a query",
    "curation.core.tensor_header": "the header of a file of weights, whose values it checks",
    "curation.core.watcher": "what the process that it watches wrote in their shared memory",
    "curation.account.annotate.endpoint": "replies, whose values it checks",
    "curation.tokens.encoders.never_text": "a tokenizer that its library has read",
    "curation.tokens.encoders.tokenizer_json": "a tokenizer that its library has read",
    "pipelines.commands.scaling": "values that were written a line before",
    "pipelines.evaluate_layout": "what the processes that it started wrote",
    "pipelines.recipe_draft": "values that were written a line before",
    "pipelines.recipe_item": "values that were written a line before",
    "pipelines.recipe_schema": "values that were written a line before",
    "pipelines.release.release": "values that were written a line before",
    "pipelines.render.model": "a report that the command has made",
    "training.checkpoint.run_record": "values that were written a line before",
    "training.data.special_ids": "a tokenizer whose checksum its pack states",
    "training.evaluate.probing": "questions that somebody wrote, whose values it checks",
    "training.evaluate.tasks": "options that the same process wrote",
    "training.metrics.tail": "lines that the training appends meanwhile",
    "training.release.folder": "a model that the command has written",
    "training.release.tokenizer": "a tokenizer whose checksum its pack states",
}


def reads_json(path: Path) -> bool:
    calls = (ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call))
    return any(call in ("json.load", "json.loads") for call in calls)


@pytest.mark.parametrize("path", [path for path in FILES if module_name(path).startswith(ROOMS)], ids=module_name)
def test_json_is_read_by_its_shape(path: Path) -> None:
    assert reads_json(path) == (module_name(path) in READERS)
