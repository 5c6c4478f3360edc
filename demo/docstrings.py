"""Reads the documentation in Python and Cython sources without importing them.

Importing runs a package's code, may start accelerators and takes minutes for large packages; parsing takes milliseconds
a file. Documentation that is attached to C extensions by a call (NumPy's `add_newdoc`) is read too.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_ATTACHING_CALL = "add_newdoc"
_MIN_ATTACHED = 80  # characters; a shorter string in such a call is a name, not documentation
_CYTHON = re.compile(
    r"^(?P<indent>[ ]*)(?P<signature>(?:cdef class|class|def|cpdef)\s[^\n]*?(?:\n[^\n\"]*?)*?):[ ]*\n"
    r"\s*[rR]?\"\"\"(?P<doc>.*?)\"\"\"",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """The documentation of one module, class or function; `name` is "" for the module itself."""

    module: str
    name: str
    signature: str
    doc: str

    @property
    def owner(self) -> str:
        """The class of a method; "" for anything else."""
        return self.name.rpartition(".")[0]


def read_python(source: str, module: str) -> list[Entry]:
    """Every documented public definition, in order. Raises SyntaxError for a source that does not parse."""
    tree = ast.parse(source)
    lines = source.splitlines()
    entries = [Entry(module, "", "", ast.get_docstring(tree) or "")]
    entries += _definitions(tree.body, module, "", lines)
    entries += (entry for node in tree.body for entry in _attached(node, module))
    return [entry for entry in entries if entry.doc]


def _definitions(body: list[ast.stmt], module: str, owner: str, lines: list[str]) -> Iterator[Entry]:
    for node in body:
        if not isinstance(node, _DEFINITIONS) or node.name.startswith("_"):
            continue
        name = f"{owner}.{node.name}" if owner else node.name
        signature = inspect.cleandoc("\n".join(lines[node.lineno - 1 : max(node.lineno, node.body[0].lineno - 1)]))
        yield Entry(module, name, signature, ast.get_docstring(node) or "")
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, module, name, lines)


def _attached(node: ast.stmt, module: str) -> Iterator[Entry]:
    """The documentation in a statement like `add_newdoc("numpy", "array", text)`."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return
    call = node.value
    if not isinstance(call.func, ast.Name) or call.func.id != _ATTACHING_CALL:
        return
    strings = [part.value for part in ast.walk(call) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    docs = [text for text in strings if len(text) >= _MIN_ATTACHED]
    names = [text for text in strings if len(text) < _MIN_ATTACHED and text.isidentifier()]
    if docs and names:
        yield Entry(module, names[-1], "", inspect.cleandoc(docs[0]))


def read_cython(source: str, module: str) -> list[Entry]:
    """Like `read_python`, but by pattern: no parser of Cython is installed."""
    entries = []
    owner = ""
    for match in _CYTHON.finditer(source):
        signature = match["signature"].strip()
        name = re.sub(r"^(?:cdef class|class|def|cpdef)\s+", "", signature)
        name = re.split(r"[(:]", name, maxsplit=1)[0].split()[-1]
        if not match["indent"]:
            owner = ""
        if not name.startswith("_"):
            entries.append(
                Entry(module, f"{owner}.{name}" if owner else name, signature, inspect.cleandoc(match["doc"]))
            )
        if not match["indent"] and "class" in signature.split("(")[0]:
            owner = name
    return entries
