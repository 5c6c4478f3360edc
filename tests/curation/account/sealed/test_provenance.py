"""Names under which documents are counted."""

import pyarrow as pa

from curation.account.sealed.provenance import domains, licence_names


def test_licences_are_read_as_the_filter_reads_them() -> None:
    stated = ["Apache 2.0", "MIT/ISC", "MIT OR ISC", "None", None, "by heart"]
    names = ["Apache-2.0", "ISC AND MIT", "ISC OR MIT", None, None, "by heart"]
    assert licence_names(pa.chunked_array([stated], pa.string())).to_pylist() == names


def test_domains_are_of_absolute_urls() -> None:
    urls = pa.chunked_array([["https://a.b.example.co.uk/x"], ["data/file.txt", None]], pa.string())
    assert domains(urls).to_pylist() == ["example.co.uk", None, None]
