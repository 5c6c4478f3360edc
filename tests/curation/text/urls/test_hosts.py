"""Labels and addresses of hosts in canonical form."""

import numpy as np
import pytest

from curation.text.urls.hosts import ascii_host, is_address, last_labels, next_label


@pytest.mark.parametrize(
    ("host", "address"),
    [
        pytest.param("", False, id="none"),
        pytest.param("example.com", False, id="name"),
        pytest.param("1.2.3.4", True, id="IPv4"),
        pytest.param("[::1]", True, id="IPv6"),
        pytest.param("1.2.3.4.example", False, id="numbers in front"),
        pytest.param("example.4", True, id="a number at the end"),
        pytest.param("example.4a", False, id="not all of it a number"),
    ],
)
def test_addresses(host: str, address: bool) -> None:
    assert is_address(np.frombuffer(host.encode(), np.uint8), 0, len(host)) == address


def test_labels_follow_dots() -> None:
    data = np.frombuffer(b"a.bc.d", np.uint8)
    assert [next_label(data, at, 6) for at in (0, 2, 5, 6)] == [2, 5, 6, 6]


def test_last_labels() -> None:
    data = np.frombuffer(b"a.bc.dexample", np.uint8)
    starts = np.array([0, 6, 3, 2])
    stops = np.array([6, 13, 3, 5])
    assert last_labels(data, starts, stops).tolist() == [5, 6, 3, 5]


def test_names_in_other_letters() -> None:
    assert ascii_host("Bücher.DE".encode()) == "xn--bcher-kva.de"
    assert ascii_host("☃.net".encode()) == "xn--n3h.net"  # forbidden by IDNA 2008
    assert ascii_host(b"\xff.net") == ""
