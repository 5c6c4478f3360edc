"""The ids that a tokenizer gives to its tokens, by which weights are compared with token data."""

import hashlib
import json
from contextlib import suppress

from curation.core.json_files import parse_json
from curation.core.tokenizer_template import model_vocabulary


def token_ids(content: bytes) -> dict[str, int]:
    """The ids of all tokens of a tokenizer.json, added ones too. Raises ValueError for another file."""
    try:
        stated = parse_json(content)
        added = {str(token["content"]): int(token["id"]) for token in stated.get("added_tokens") or ()}
        return {**model_vocabulary(stated), **added}
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no tokenizer.json ({type(error).__name__}: {error})") from error


def tokenizer_identity(content: bytes) -> str:
    """BLAKE2b-128 (hex) of the ids of a tokenizer.json, however it is written; of another file, of its bytes."""
    with suppress(ValueError):
        content = json.dumps(sorted(token_ids(content).items())).encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()
