"""How the documents of a sealed tokenize stage begin and end, and what its copy of the tokenizer is."""

from typing import TypedDict

from curation.core.manifest import Manifest
from curation.tokens.encoders.text_ends import AUTO


class AroundDocuments(TypedDict):
    """The names of the tokens that begin and end each document of a sealed stage; begin may be NONE."""

    begin: str
    end: str
    pattern: str  # AUTO where the stage's copy of the tokenizer is the file that it was given


def around_documents(sealed: Manifest) -> AroundDocuments:
    """Of a sealed tokenize stage. Raises InputError for a manifest that does not say."""
    return sealed.options("encode", AroundDocuments)


def tokenizer_sha256(sealed: Manifest) -> str:
    """SHA-256 (hex) of the copy of the tokenizer in a sealed tokenize stage; empty where it was made of other files."""
    assets: dict[str, str] = sealed.address_parts["assets"]
    one = assets.get("encode.tokenizer", assets.get("encode.tokenizer.0", ""))
    return one if around_documents(sealed)["pattern"] == AUTO else ""
