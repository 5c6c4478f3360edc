"""Lines of published lists: hosts files, ad blockers' lists, plain names, comments and broken ones."""

import numpy as np
import pyarrow as pa
import pytest

from curation.text.urls.list_lines import gathered, named_spans
from curation.text.urls.parse import parse_urls


@pytest.mark.parametrize(
    ("content", "names"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("a.com\nb.com", ["a.com", "b.com"], id="plain, no line break at the end"),
        pytest.param("\n\r\n  a.com\t\r\n", ["a.com"], id="white space around"),
        pytest.param(
            "# c\n! c\n[Adblock Plus 2.0]\n@@||a.com^\nb.com # c\nc.com #c", ["b.com", "c.com"], id="comments"
        ),
        pytest.param("0.0.0.0 a.com", ["a.com"], id="hosts file"),
        pytest.param("127.0.0.1\ta.com b.com #c d.com", ["a.com", "b.com"], id="hosts file with several names"),
        pytest.param("::1 a.com\nfe80::1 b.com", ["a.com", "b.com"], id="hosts file, IPv6"),
        pytest.param("1.2.3.4\n1.2.3.4 # c", ["1.2.3.4", "1.2.3.4"], id="an address is a name, too"),
        pytest.param("dead.be.ef b.com", ["dead.be.ef"], id="a name of hexadecimal letters"),
        pytest.param("1.2.3.com b.com", ["1.2.3.com"], id="a name that begins with numbers"),
        pytest.param("||a.com^\n||b.com^$third-party\n||c.com", ["a.com", "b.com", "c.com"], id="ad blocker"),
        pytest.param("http://a.com/b c", ["http://a.com/b"], id="a URL, and something else"),
    ],
)
def test_names(content: str, names: list[str]) -> None:
    data = np.frombuffer(content.encode(), np.uint8)
    starts, stops = named_spans(data)
    assert [data[a:b].tobytes().decode() for a, b in zip(starts, stops, strict=True)] == names


def test_gathered_parts_have_no_slash_at_their_end() -> None:
    urls = parse_urls(pa.array(["//a.com/x//", "none", "//b.com/", "//c.com/y?z=/"]))
    data, offsets = gathered(urls, urls.starts, urls.stops)
    assert (data.tobytes(), offsets.tolist()) == (b"a.com/xb.comc.com/y?z=", [0, 7, 12, 22])
