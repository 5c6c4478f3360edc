"""Writes a mix's documents as nanoGPT reads them: `train.bin` and `val.bin`, all tokens as uint16 without a header.

Each document is written once, as it was tokenized, with its end-of-text, source by source: nanoGPT draws windows at
random places of the file, so it knows neither order nor weights. `meta.pkl` holds `vocab_size` for `train.py`, and for
`sample.py` the text of each id (`itos`) and the id of each character that is a token (`stoi`).

Source: karpathy/nanoGPT on GitHub, train.py, sample.py and data/openwebtext/prepare.py.
"""

import pickle
from collections.abc import Sequence
from typing import Any

from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import UserError
from curation.core.new_file import NewFile
from curation.core.new_folder import new_folder
from curation.tokens.encoders.load_tokenizer import parse
from curation.tokens.manifests import mix_folder, read_index
from curation.tokens.packing.whole_documents import whole_documents
from curation.tokens.shards import TokenData

FILES = {"train": "train.bin", "validation": "val.bin"}
META = "meta.pkl"


def export_nanogpt(path: str, output: str, *, leaves: Sequence[str] = ()) -> dict[str, Any]:
    """`path`: a run or mix folder; `leaves`: only these. Returns "files" [{name, split, documents, tokens}] and
    "shares" [{source, share, mix_share}] of the training tokens in the file, and of those in the mix.

    Raises UserError for an output folder that is not empty, a leaf that the mix does not have, ids of more than 16
    bits, and a split without documents.
    """
    data = TokenData.open(path)
    for leaf in leaves:
        if leaf not in data.sources:
            raise UserError(f"the mix has no source {leaf!r}{nearest(leaf, data.sources)}")
    if data.dtype.itemsize > 2:
        raise UserError(
            f"nanoGPT reads ids below 65,536, and this vocabulary has {data.vocabulary:,}; give a smaller tokenizer, "
            "or export with --format megatron"
        )
    chosen = [leaf for leaf in data.sources if leaf in leaves or not leaves]
    with new_folder(output) as folder:
        tokens = dict.fromkeys(chosen, 0)  # of training documents
        files = [_write(data, folder, split, tokens) for split in FILES]
        content = storage.read_bytes(data.tokenizer_path)
        storage.write_bytes(storage.join(folder, data.tokenizer_path.rpartition("/")[2]), content)
        storage.write_bytes(storage.join(folder, META), _meta(data, content))
    return {
        "format": "bin",
        "output": storage.absolute(output),
        "files": files,
        "shares": _shares(tokens, _in_mix(path, chosen)),
    }


def _write(data: TokenData, folder: str, split: str, tokens: dict[str, int]) -> dict[str, Any]:
    """Writes a split; adds the training tokens of each leaf to `tokens`. Raises UserError where it has no document."""
    documents = written = 0
    with NewFile(storage.join(folder, FILES[split])) as out:
        for file in data.row_files(split):
            if file.source not in tokens or not file.rows:
                continue
            data.check(file.name)
            for ids, lengths in whole_documents(data.folder, file, row_tokens=data.row_tokens, dtype=data.dtype):
                out.write(ids.data.cast("B"))
                documents += len(lengths)
                written += len(ids)
                tokens[file.source] += len(ids) * (split == "train")
        if not documents:
            more = "; raise `validation` in `tokenize`" if split == "validation" else ""
            raise UserError(f"the mix has no {split} documents, and nanoGPT needs {FILES[split]}{more}")
    return {"name": FILES[split], "split": split, "documents": documents, "tokens": written}


def _meta(data: TokenData, tokenizer: bytes) -> bytes:
    tokens = parse(tokenizer, data.tokenizer_path).tokens()
    itos = dict(enumerate(one if isinstance(one, str) else one.decode(errors="replace") for one in tokens))
    stoi = {text: number for number, text in reversed(itos.items()) if len(text) == 1 and text != "\ufffd"}
    return pickle.dumps({"vocab_size": data.vocabulary, "itos": itos, "stoi": stoi}, protocol=4)


def _in_mix(path: str, leaves: Sequence[str]) -> dict[str, int]:
    """Tokens of each leaf in all phases of the mix."""
    tokens = dict.fromkeys(leaves, 0)
    for line in read_index(mix_folder(path))["report"]:
        if line["source"] in tokens:
            tokens[line["source"]] += line["tokens"]
    return tokens


def _shares(tokens: dict[str, int], mixed: dict[str, int]) -> list[dict[str, Any]]:
    whole = sum(tokens.values()) or 1
    mix = sum(mixed.values()) or 1
    return [{"source": leaf, "share": count / whole, "mix_share": mixed[leaf] / mix} for leaf, count in tokens.items()]
