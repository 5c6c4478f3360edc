"""Writes a SentencePiece model as a tokenizer.json, which the libraries `tokenizers` and transformers read.

Models that leave text as it is get the same ids. Those with a table of characters (NFKC), with runs of spaces that are
one symbol, or that drop spaces may get others for some texts. So whoever writes one compares the ids.
Source: sentencepiece 0.2 (Kudo and Richardson 2018, arXiv:1808.06226), whose BPE joins the neighbours that make the
piece of the highest score; `tokenizers` 0.23, which joins those of the first pair in a list.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sentencepiece.sentencepiece_model_pb2 import ModelProto, TrainerSpec  # type: ignore[attr-defined]
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers

from curation.models.piece_file import parsed
from curation.tokens.encoders.piece_model import SPACE, is_bracketed

_Piece: Any = ModelProto.SentencePiece


def json_of_pieces(content: bytes) -> bytes:
    """The tokenizer.json of a SentencePiece model's file. Raises ValueError for bytes that are none, and for a model of
    words or characters."""
    model: Any = parsed(content)
    own = Tokenizer(_model(model))
    own.normalizer = normalizers.Sequence([*_normalizers(model.normalizer_spec)])
    text = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    first = [decoders.Strip(" ", 1, 0)] if model.normalizer_spec.add_dummy_prefix else []
    own.decoder = decoders.Sequence([*text, *first])
    special = [piece.piece for piece in model.pieces if piece.type in (_Piece.CONTROL, _Piece.UNKNOWN)]
    symbols = [piece.piece for piece in model.pieces if piece.type == _Piece.USER_DEFINED]
    own.add_special_tokens([*special, *filter(is_bracketed, symbols)])
    # A single character is a piece like others.
    texts = [symbol.replace(SPACE, " ") for symbol in symbols if len(symbol) > 1 and not is_bracketed(symbol)]
    own.add_tokens([AddedToken(text, normalized=False) for text in texts])
    return own.to_str().encode()


def _model(model: Any) -> Any:
    scores = [(piece.piece, piece.score) for piece in model.pieces]
    (unknown,) = (number for number, piece in enumerate(model.pieces) if piece.type == _Piece.UNKNOWN)
    in_bytes = bool(model.trainer_spec.byte_fallback)
    if model.trainer_spec.model_type == TrainerSpec.UNIGRAM:
        return models.Unigram(scores, unk_id=unknown, byte_fallback=in_bytes)
    if model.trainer_spec.model_type != TrainerSpec.BPE:
        raise ValueError("neither Unigram nor BPE")
    ids = {name: number for number, (name, _) in enumerate(scores)}
    known = {piece.piece: piece.score for piece in model.pieces if piece.type == _Piece.NORMAL}
    merges = sorted(_merges(known), key=lambda pair: (-known["".join(pair)], ids[pair[0]], ids[pair[1]]))
    return models.BPE(ids, merges, unk_token=scores[unknown][0], fuse_unk=True, byte_fallback=in_bytes)


def _merges(known: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Each pair of pieces that makes a piece."""
    for name in known:
        for cut in range(1, len(name)):
            if name[:cut] in known and name[cut:] in known:
                yield name[:cut], name[cut:]


def _normalizers(spec: Any) -> Iterator[Any]:
    if spec.precompiled_charsmap:
        yield normalizers.Precompiled(spec.precompiled_charsmap)
    if spec.remove_extra_whitespaces:
        yield normalizers.Replace(Regex("^ +| +$"), "")
        yield normalizers.Replace(Regex(" {2,}"), " ")
    if spec.add_dummy_prefix:
        yield normalizers.Prepend(SPACE)
    yield normalizers.Replace(" ", SPACE)
