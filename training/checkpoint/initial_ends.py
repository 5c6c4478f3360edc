"""Refuses initial weights that learnt from documents which begin or end with other tokens than those of the data.

A training says in its config.json which they were. A folder in Hugging Face's layout says with which token a text
begins if its tokenizer lies in it; its end is not compared, since chat models name the end of a turn.
"""

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import parse_json
from curation.core.tokenizer_template import model_vocabulary, template_of
from curation.tokens.shards import TokenData
from training.checkpoint.manifest import CHECKPOINTS
from training.checkpoint.run_record import read_run_file


def refuse_other_ends(source: str, data: TokenData) -> None:
    """`source`: a training, a checkpoint or a folder in Hugging Face's layout. Raises InputError."""
    folder = storage.absolute(source).rstrip("/").partition(f"/{CHECKPOINTS}/")[0]
    own = {"begin_of_text": data.begin_of_text, "end_of_text": data.end_of_text}
    for name, learnt in _learnt(folder).items():
        if learnt != own[name]:
            raise InputError(
                f"the weights of {source} learnt from documents with {name} {_id(learnt)}, those of {data.folder} have "
                f"{_id(own[name])}; tokenize with the same begin and end, or begin with other weights"
            )


def _learnt(folder: str) -> dict[str, int | None]:
    """What is known of the documents that weights learnt from."""
    if storage.exists(storage.join(folder, CHECKPOINTS)):
        known = storage.exists(storage.join(folder, "config.json"))
        return dict(read_run_file(folder).get("around_documents", {})) if known else {}
    path = storage.join(folder, "tokenizer.json")
    if not storage.exists(path):
        return {}
    try:
        stated = parse_json(storage.read_bytes(path))
        begins = template_of(stated).begins
        added = {token["content"]: token["id"] for token in stated["added_tokens"]}
        return {"begin_of_text": {**model_vocabulary(stated), **added}[begins[0]] if begins else None}
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}  # what is no tokenizer.json says nothing


def _id(number: int | None) -> str:
    return "none" if number is None else str(number)
