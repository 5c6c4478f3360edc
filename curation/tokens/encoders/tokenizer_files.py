"""Finds the files of a tokenizer: of one that is named by a file, by its folder, or by the list of its files.

    tokenizer.json                      of the library `tokenizers`
    tokenizer.model, spiece.model …     a SentencePiece model, or a file of tiktoken, as Llama 3's
    vocab.json and merges.txt           a byte-level BPE as GPT-2's
    cl100k_base.tiktoken …              a file of tiktoken

Of a folder, the first kind that it has counts. Nothing is downloaded.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow.fs as pafs

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.encoders.tokenizer_settings import CONFIG, SETTINGS

Tokenizer: TypeAlias = str | tuple[str, ...]  # a file, a folder, or the files
JSON = "tokenizer.json"
MERGES = {"vocab.json": "merges.txt", "encoder.json": "vocab.bpe"}  # GPT-2's own release has the second pair
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")


@dataclass(frozen=True)
class TokenizerFiles:
    """`main`: one file, or a vocabulary and its merges; `settings`: those of SETTINGS beside them, in their order."""

    main: tuple[str, ...]
    settings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """For messages."""
        return " and ".join((self.main[0], *(_name(uri) for uri in self.main[1:])))


def find_tokenizer(given: Tokenizer) -> TokenizerFiles:
    """Raises InputError, which says how to get one, where there is none."""
    if not isinstance(given, str):
        main = tuple(uri for uri in given if _name(uri) not in SETTINGS)
        if not main:
            raise InputError(f"tokenizer: none of {', '.join(given) or 'no files'} is a tokenizer; name its file too")
        return TokenizerFiles(main, _ordered([uri for uri in given if _name(uri) in SETTINGS]))
    fs, path = storage.resolve(given)
    kind = fs.get_file_info(path).type
    if kind is pafs.FileType.Directory:
        main = _of_folder(given.rstrip("/"))
    elif kind is pafs.FileType.File:
        main = _with_merges(given)
    else:
        raise InputError(_nothing(given))
    folder = main[0].rpartition("/")[0]
    beside = [storage.join(folder, name) if folder else name for name in SETTINGS]
    return TokenizerFiles(main, _ordered([uri for uri in beside if storage.exists(uri)]))


def _of_folder(folder: str) -> tuple[str, ...]:
    names = sorted(storage.list_names(folder))
    models = [name for name in names if name.endswith(".model")]
    ranks = [name for name in names if name.endswith(".tiktoken")]
    pair = next(((one, other) for one, other in MERGES.items() if {one, other} <= {*names}), None)
    if JSON in names:
        chosen: tuple[str, ...] = (JSON,)
    elif "tokenizer.model" in models:
        chosen = ("tokenizer.model",)
    elif len(models) == 1 or (not models and not pair and len(ranks) == 1):
        chosen = (*models, *ranks)[:1]
    elif pair and not models:
        chosen = pair
    else:
        several = f"several ({', '.join(models + ranks)})" if models + ranks else "none"
        raise InputError(
            f"{folder} has {several} of the files that a tokenizer may be: {JSON}, a .model, vocab.json with "
            "merges.txt, or a .tiktoken; name the file"
        )
    return tuple(storage.join(folder, name) for name in chosen)


def _with_merges(uri: str) -> tuple[str, ...]:
    """The file, or the two of a vocabulary and its merges."""
    folder, slash, name = uri.rpartition("/")
    for vocabulary, merges in MERGES.items():
        for end in (vocabulary, merges):
            if name.endswith(end):
                stem = f"{folder}{slash}{name.removesuffix(end)}"
                if not (storage.exists(stem + vocabulary) and storage.exists(stem + merges)):
                    raise InputError(f"{uri} needs {vocabulary} and {merges} in one folder; copy the other one there")
                return stem + vocabulary, stem + merges
    return (uri,)


def _ordered(uris: list[str]) -> tuple[str, ...]:
    return tuple(sorted(uris, key=lambda uri: SETTINGS.index(_name(uri))))


def _name(uri: str) -> str:
    return uri.rpartition("/")[2]


def _nothing(given: str) -> str:
    if "." in _name(given) or not _HUB_NAME.fullmatch(given):
        return f"no file at {given}; give a tokenizer's file or folder"
    return (
        f"no file or folder at {given}, and winnow downloads no tokenizer; get it once by `hf download {given} "
        f"{JSON} {CONFIG} --local-dir tokenizers/{given}` (pip install huggingface_hub), then write `tokenizer: "
        f"tokenizers/{given}`"
    )
