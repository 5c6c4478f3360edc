"""Text in any layout that Arrow has for strings and bytes, read as UTF-8: nothing checks the strings of a file."""

import pyarrow as pa

_KINDS = (
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
)


def is_text(kind: pa.DataType) -> bool:
    """Whether the type is strings or bytes, or a dictionary of them."""
    return kind in _KINDS or (pa.types.is_dictionary(kind) and kind.value_type in _KINDS)


def as_utf8(values: pa.Array, target: pa.DataType) -> tuple[pa.Array, int]:
    """Strings or bytes [N], no dictionary, as `target` (string or large_string) with U+FFFD for invalid bytes; and how
    many values had some."""
    contents = values.cast(pa.large_binary())
    try:
        return contents.cast(target), 0
    except pa.ArrowInvalid:  # some value is not UTF-8
        pass
    texts: list[str | None] = []
    invalid = 0
    for content in contents.to_pylist():
        try:
            texts.append(None if content is None else content.decode())
        except UnicodeDecodeError:
            texts.append(content.decode("utf-8", "replace"))
            invalid += 1
    return pa.array(texts, target), invalid
