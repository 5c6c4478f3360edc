"""Names, places and addresses, by a model on disk: a pipeline of spaCy or a token classifier of `transformers`.

Nothing is downloaded, and a classifier's weights are read from `safetensors` files alone, since pickled ones may run
code. What a model calls a person, a place or an address is found; its other labels are left. Long texts are read in
pieces that end at whitespace, so a name on a boundary may be missed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from curation.core.errors import InputError
from curation.core.installation import remedy
from curation.core.model_folder import checked_folder
from curation.models.pii.overlaps import PiiSpan
from curation.models.sequence_classifier.described_weights import check_weights

KINDS = ("name", "place", "address")
_LABELS = {
    **dict.fromkeys(("per", "person", "pers", "name", "persname", "nrp_person"), "name"),
    **dict.fromkeys(("loc", "gpe", "location", "fac", "placename", "place"), "place"),
    **dict.fromkeys(("address", "street", "street_address", "streetaddress"), "address"),
}
_PIECE = 2000  # characters that a model reads at a time
_UNUSED = 2  # positions that RoBERTa and its like have and do not take
_SPACY = "meta.json"
_TRANSFORMERS = "config.json"


@dataclass(frozen=True, kw_only=True)
class Names:
    """A model, and how sure it must be; a pipeline of spaCy does not say, its finds have the score 0.85."""

    model: Annotated[str, "folder that spaCy's `to_disk` or `save_pretrained` wrote, on a disk of every node"]
    min_score: Annotated[float, "how sure a find must be, in [0, 1]"] = 0.5

    def files(self) -> tuple[str, ...]:
        """The model's files. Raises InputError for a folder that holds no model, or if its library is missing."""
        folder = Path(self.model)
        if not any((folder / name).is_file() for name in (_SPACY, _TRANSFORMERS)):
            raise InputError(
                f"names.model: {self.model} holds no model: give a folder with spaCy's {_SPACY} or, of a token "
                f"classifier of transformers, {_TRANSFORMERS}"
            )
        load(self.model)
        return tuple(str(path) for path in sorted(folder.rglob("*")) if path.is_file())

    def packages(self) -> tuple[str, ...]:
        """What runs the model."""
        return ("spacy",) if (Path(self.model) / _SPACY).is_file() else ("transformers", "torch")

    def find(self, content: bytes) -> list[PiiSpan]:
        """The spans of a text in UTF-8, in bytes."""
        text = content.decode("utf-8", "surrogateescape")
        model = load(self.model)
        found = []
        for at, piece in _pieces(text.encode("utf-8", "replace").decode()):
            for label, start, stop, score in model(piece):
                kind = _LABELS.get(label.lower().split("-")[-1])
                if kind and score >= self.min_score and start < stop:
                    first = len(text[: at + start].encode("utf-8", "surrogateescape"))
                    value = text[at + start : at + stop].encode("utf-8", "surrogateescape")
                    found.append(PiiSpan(kind, first, first + len(value), score))
        return found


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of a text and where each begins, in characters."""
    at = 0
    while at < len(text):
        stop = at + _PIECE
        if stop < len(text):
            space = max(text.rfind(" ", at, stop), text.rfind("\n", at, stop))
            stop = space + 1 if space > at else stop
        yield at, text[at:stop]
        at = stop


@lru_cache(maxsize=2)
def load(folder: str) -> Any:
    """A function of a text that gives (label, first character, the one after the last, score) of each find."""
    if (Path(folder) / _SPACY).is_file():
        return _spacy(folder)
    return _transformers(folder)


def _spacy(folder: str) -> Any:
    try:
        import spacy
    except ModuleNotFoundError as error:
        raise InputError(f"names.model: {folder} needs spaCy; run {remedy(['spacy'])}") from error
    try:
        pipeline = spacy.load(folder)
    except Exception as error:  # of any kind, by what is wrong in the folder
        raise InputError(
            f"names.model: {folder} cannot be loaded by spaCy: {_first_line(error)}; give a folder that `to_disk` wrote"
        ) from error
    return lambda text: [(one.label_, one.start_char, one.end_char, 0.85) for one in pipeline(text).ents]


def _transformers(folder: str) -> Any:
    try:
        from transformers import AutoConfig, AutoModelForTokenClassification, AutoTokenizer, pipeline
    except ModuleNotFoundError as error:
        raise InputError(f"names.model: {folder} needs transformers; run {remedy(['transformers'])}") from error
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    _, held = checked_folder(Path(folder))
    try:
        check_weights(AutoConfig.from_pretrained(folder, **here), AutoModelForTokenClassification, held)
        tokenizer = AutoTokenizer.from_pretrained(folder, **here)
        model = AutoModelForTokenClassification.from_pretrained(folder, use_safetensors=True, **here)
    except InputError:
        raise
    except Exception as error:  # of any kind, by what is wrong in the folder
        raise InputError(
            f"names.model: {folder} cannot be loaded by transformers: {_first_line(error)}; give a folder that "
            "`save_pretrained` wrote, with weights in safetensors"
        ) from error
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions and tokenizer.model_max_length > positions:  # else more tokens than that are an error of the document
        tokenizer.model_max_length = positions - _UNUSED
    run = pipeline("token-classification", model=model, tokenizer=tokenizer, aggregation_strategy="simple", stride=32)
    return lambda text: [
        (one["entity_group"], int(one["start"]), int(one["end"]), float(one["score"])) for one in run(text)
    ]


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300] or type(error).__name__
