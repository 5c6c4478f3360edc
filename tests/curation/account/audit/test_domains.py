"""The domains with most documents, and what is lost when the table is full."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.audit import domains
from curation.account.audit.domains import domains_of, largest_domains
from curation.text.urls.parse import parse_urls
from tests.curation.account.audit.planted import curate, page


def test_registered_domains() -> None:
    urls = pa.array(["https://a.b.co.uk/x", "http://1.2.3.4/", "", None, "https://co.uk/"], pa.large_string())
    assert domains_of(parse_urls(urls)).to_pylist() == ["b.co.uk", None, None, None, None]


def test_most_documents_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [page(n, site) for n, site in enumerate(["b.com", "a.com", "b.com", "c.com", "www.a.com", "b.com"])]
    run = curate(tmp_path, [pages[:3], pages[3:]])
    assert largest_domains(run) == ["b.com", "a.com", "c.com"]
    monkeypatch.setattr(domains, "DOMAINS", 2)
    assert largest_domains(run) == ["b.com", "a.com"]
    # The second shard makes three: less 2, the count in the middle, one is left.
    monkeypatch.setattr(domains, "HELD", 2)
    assert largest_domains(run) == ["b.com"]
