"""Hashes the code of a function or a class, so that a stage which runs it has another address once it has changed.

The hash covers the source, and what the source names in the same file: functions, classes, and plain values such as
numbers, texts, patterns and lists of them. What other modules do is not covered, as with any library.
"""

import hashlib
import inspect
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

PLAIN = (bool, int, float, complex, str, bytes, type(None))


def code_hash(code: Any) -> str:
    """16 hex digits of a function or a class."""
    digest = hashlib.blake2b(digest_size=8)
    for part in _parts(code, set()):
        digest.update(f"{len(part)}\0{part}".encode(errors="surrogatepass"))
    return digest.hexdigest()


def _parts(code: Any, seen: set[int]) -> Iterator[str]:
    """The source of the code, then of all that it names, each once."""
    if id(code) in seen:
        return
    seen.add(id(code))
    if isinstance(code, type):
        yield code.__qualname__
        values = [*sorted(vars(code).items()), *((base.__name__, base) for base in code.__bases__)]
    elif isinstance(code, types.FunctionType):
        yield _source(code)
        defaults = enumerate(code.__defaults__ or ())
        values = [*((str(place), one) for place, one in defaults), *sorted((code.__kwdefaults__ or {}).items())]
        values += _named(code)
    else:
        return
    for name, value in values:
        inner = _behind(value)
        if not name.startswith("__") and (plain := _plain(value)) is not None:
            yield f"{name}={plain}"
        elif isinstance(inner, types.FunctionType | type) and inner.__module__ == code.__module__:
            yield from _parts(inner, seen)


def _behind(value: Any) -> Any:
    """The function that a method, a property or a wrapper calls; of a function that a dataclass has made, nothing."""
    for name in ("__func__", "fget", "func", "__wrapped__"):
        value = getattr(value, name, value)
    made = isinstance(value, types.FunctionType) and value.__code__.co_filename == "<string>"
    return None if made else value


def _source(function: types.FunctionType) -> str:
    """The source, or the instructions where there is none, as in an interpreter."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return _instructions(function.__code__)


def _instructions(code: types.CodeType) -> str:
    constants = [_instructions(one) if isinstance(one, types.CodeType) else _plain(one) for one in code.co_consts]
    return repr((code.co_code.hex(), code.co_names, code.co_varnames, constants))


def _named(function: types.FunctionType) -> list[tuple[str, Any]]:
    """The variables of the file and of enclosing functions that the function's code names, by name."""
    names = set[str]()
    waiting = [function.__code__]
    for code in waiting:  # which grows
        names.update(code.co_names)
        waiting += [one for one in code.co_consts if isinstance(one, types.CodeType)]
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found |= {name: cell.cell_contents for name, cell in cells if cell != types.CellType()}
    return sorted(found.items())


def _plain(value: Any) -> str | None:
    """A plain value as text, the same in every process; None for any other."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, re.Pattern):  # whose own repr ends after 200 characters
        return repr((value.pattern, value.flags))
    if isinstance(value, tuple | list | set | frozenset):
        parts = [_plain(one) for one in value]
        if None in parts:
            return None
        shown = [str(part) for part in parts]
        return f"{type(value).__name__}{sorted(shown) if isinstance(value, set | frozenset) else shown}"
    if isinstance(value, Mapping):
        items = [(_plain(key), _plain(one)) for key, one in value.items()]
        return None if any(None in item for item in items) else f"mapping{items}"
    return None
