"""What is read out of sources, and what is left."""

import pytest

from demo.docstrings import Entry, read_cython, read_python

SOURCE = '''"""About the module."""

class Lamp:
    """About the lamp."""

    def light(
        self, power: int
    ) -> None:
        """Light it."""

    def _wire(self):
        """Nobody's business."""

def bare():
    return 1

async def wait(): "Wait for it."
'''


def test_modules_classes_methods_and_functions_are_read_in_order() -> None:
    entries = read_python(SOURCE, "house")
    assert [(entry.name, entry.doc) for entry in entries] == [
        ("", "About the module."),
        ("Lamp", "About the lamp."),
        ("Lamp.light", "Light it."),
        ("wait", "Wait for it."),
    ]
    assert entries[2] == Entry("house", "Lamp.light", "def light(\n    self, power: int\n) -> None:", "Light it.")
    assert [entry.owner for entry in entries] == ["", "", "Lamp", ""]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        pytest.param("add_newdoc('numpy', 'arange', '''{doc}''')", "arange", id="function"),
        pytest.param("add_newdoc('numpy', 'ndarray', ('fill', '''{doc}'''))", "fill", id="method"),
    ],
)
def test_documentation_attached_by_a_call_is_found(call: str, name: str) -> None:
    doc = "Evenly spaced values, as many as you ask for, between a start and a stop which is left out."
    assert [(one.name, one.doc) for one in read_python(call.format(doc=doc), "core")] == [(name, doc)]


def test_a_short_string_in_such_a_call_is_no_documentation() -> None:
    assert read_python("add_newdoc('numpy', 'arange', 'short')", "core") == []


def test_cython_definitions_are_read_with_their_class() -> None:
    source = (
        'cdef class Table(_Base):\n    """A table."""\n\n    def slice(self, int offset=0,\n'
        "              length=None):\n"
        '        """\n        A slice.\n        """\n\n\ndef concat(tables):\n    r"""Join them."""\n'
    )
    assert [(one.name, one.doc) for one in read_cython(source, "lib")] == [
        ("Table", "A table."),
        ("Table.slice", "A slice."),
        ("concat", "Join them."),
    ]


def test_a_source_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(SyntaxError):
        read_python("def (:", "broken")
