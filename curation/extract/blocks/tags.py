"""What the scanner knows of HTML's elements: their numbers and the rules that follow from their names.

Source: WHATWG HTML Standard, "Tree construction" and "Rendering". Elements with content that is not main text whatever
it says (scripts, drawings, controls of forms) are UNSEEN.
"""

from inspect import unwrap

import numpy as np

from curation.extract.nesting import MEMBERS, Int64s, Uint64s
from curation.text.html.syntax import name_hash
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.hash_table import find_slot, table_size

# Rules of the tree and of the text, beside those of `nesting`, whose bits are below 1 << 16.
BREAKS = 1 << 16  # ends the block of text before it, and begins one
APART = 1 << 17  # so does a blank line in the text
UNSEEN = 1 << 18  # its text is no part of the page's
ENDS_PARAGRAPH = 1 << 19  # its start tag ends an open <p>
CELLS = 1 << 20  # only end tags of tables reach past it
TABLES = 1 << 21  # its end tag reaches past cells, up to the table's beginning
HEADING = 1 << 22

_RULES = {
    BREAKS: "address applet article aside blockquote body caption center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main"
    " marquee menu nav noscript ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead"
    " title tr ul xmp",
    APART: "blockquote dl figure h1 h2 h3 h4 h5 h6 hr listing menu ol p plaintext pre table ul dir",
    UNSEEN: "applet audio button canvas datalist head iframe map math noembed noframes noscript object script select"
    " style svg template textarea title video xmp",
    ENDS_PARAGRAPH: "address article aside blockquote center details dialog dir div dl fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary"
    " table ul xmp dd dt",
    CELLS: "applet caption marquee object table td template th foreignobject",
    TABLES: "caption table tbody td tfoot th thead tr",
    HEADING: "h1 h2 h3 h4 h5 h6",
}
_OTHERS = (
    "abbr acronym bdi bdo cite data del dfn dialog font ins kbd label legend mark meter output picture progress q ruby"
    " samp span sub sup time var video audio canvas svg math datalist map xmp noscript slot rt"
)


def _names() -> tuple[str, ...]:
    lists = [*MEMBERS.values(), *_RULES.values(), _OTHERS]
    return ("", *sorted({name for members in lists for name in members.split()}))


NAMES = _names()
"""The element of each number; 0 stands for all that have no rules."""
NUMBER = {name: number for number, name in enumerate(NAMES)}
assert len(NAMES) < 256


def _rules() -> Int64s:
    rules = np.zeros(len(NAMES), np.int64)
    for flag, members in (*MEMBERS.items(), *_RULES.items()):
        rules[[NUMBER[name] for name in members.split()]] |= flag
    return rules


def _table() -> tuple[Uint64s, Int64s]:
    size = unwrap(table_size)(len(NAMES))  # in Python: whoever imports this module would load the kernels
    keys = np.zeros(size, np.uint64)
    numbers = np.zeros(size, np.int64)
    for number, name in enumerate(NAMES[1:], 1):
        key = name_hash(name)
        slot = unwrap(find_slot)(keys, key, int(key) % size)
        keys[slot] = key
        numbers[slot] = number
    return keys, numbers


RULES = _rules()
_KEYS, _NUMBERS = _table()


@kernel
def number_of(name: np.uint64) -> Int:
    """The number of an element by the hash of its name."""
    return np.int64(_NUMBERS[find_slot(_KEYS, name, np.int64(name) & (_KEYS.size - 1))])
