"""An inspection with two languages, a programming language and a source, for what is printed and drawn."""

from typing import Any

from curation.account.tokenizers.tokenizer_inspection import Inspection, TextGroup, Token, TokenKind, embedding_of


def group(kind: str, name: str, size: int, tokens: int, relative: float | None = None) -> TextGroup:
    return TextGroup(
        kind, name, 3, size, size, size // 5, tokens, 5 * tokens / size, size / tokens, size / tokens, relative
    )


def inspection(name: str, vocabulary: int, **changes: Any) -> Inspection:
    token = Token(7, " [red]\n" + "-" * 60, 67, 12)
    some = TokenKind(1, 0.125, (token,))
    none = TokenKind(0, 0.0, ())
    groups = (
        *(group("language", "en", 2000, 500), group("language", "de", 1000, 400)),
        *(group("code", "all code", 500, 250), group("code", "python", 400, 200)),
        *(group("source", "web", 3000, 900),),
    )
    values: dict[str, Any] = {
        "tokenizer": name,
        "vocabulary": vocabulary,
        "special": 2,
        "unknown": 0.00125,
        "total": group("all", "all text", 3500, 1150),
        "groups": groups,
        "unused": some,
        "unreachable": none,
        "partial": none,
        "glitch": some,
        "longest": (token,),
        "longest_used": (token,),
        "top": (token, Token(8, "\\xc3", 1, 5)),
        "top_shares": {"10": 0.25, "100": 0.5},
        "embeddings": tuple(embedding_of(vocabulary, width) for width in (64, 128)),
        "ranks": ((1, 100), (2, 50), (4, 3)),
    }
    return Inspection(**(values | changes))
