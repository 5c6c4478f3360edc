"""Names of special tokens, in the order of their ids, which begin at 0."""

from collections.abc import Sequence

from curation.core.errors import RecipeError

END_OF_TEXT = "<|endoftext|>"
PADDING = "<|padding|>"
UNKNOWN = "<|unknown|>"  # for characters outside the alphabet, in tokenizers that cannot spell them in bytes


def special_names(further: Sequence[str], reserved: int, *, unknown: bool) -> list[str]:
    """END_OF_TEXT, PADDING, UNKNOWN if `unknown`, the `further` ones, then <|reserved_0|> and so on.

    Raises RecipeError for a name that is used already, and for one of fewer than two characters.
    """
    if reserved < 0:
        raise RecipeError(f"reserved_tokens is {reserved}; it must be 0 or more")
    own = [END_OF_TEXT, PADDING, *([UNKNOWN] if unknown else [])]
    names = [*own, *further, *(f"<|reserved_{number}|>" for number in range(reserved))]
    if len(set(names)) < len(names) or any(len(name) < 2 for name in names):
        raise RecipeError(
            f"special tokens must be distinct and of two characters or more; {', '.join(own)} and <|reserved_0|> and "
            "so on exist already"
        )
    return names
