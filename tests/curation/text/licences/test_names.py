"""Identifiers: each is its own name and in one group, and no group is freer than what it limits."""

import pytest

from curation.text.licences.names import GROUPS, NAMES, SPDX, at_address, in_words


def test_identifiers_are_their_own_names() -> None:
    for name in NAMES:
        for written in (name, name.lower(), name.upper(), name.replace("-", " "), name.replace("-", "_"), f" {name}\n"):
            assert in_words(written) == name


def test_a_licence_is_in_one_group() -> None:
    assert len(set(NAMES)) == len(NAMES) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("public-domain", ["CC0-1.0", "CC-PDDC", "Unlicense", "0BSD"]),
        ("permissive", ["MIT", "BSD", "Apache-2.0", "Sendmail", "Artistic-2.0"]),
        ("attribution", ["CC-BY", "CC-BY-4.0", "ODC-By-1.0"]),
        ("share-alike", ["CC-BY-SA-4.0", "ODbL-1.0"]),
        ("weak-copyleft", ["MPL-2.0", "LGPL-2.1-or-later", "CDLA-Sharing-1.0"]),
        ("copyleft", ["GPL-3.0-only", "GFDL-1.3-invariants-or-later", "AGPL-3.0-only", "EUPL-1.2"]),
        ("restricted", ["CC-BY-NC-4.0", "CC-BY-ND", "JSON", "C-UDA-1.0", "PolyForm-Noncommercial-1.0.0", "any-OSI"]),
    ],
)
def test_groups(group: str, names: list[str]) -> None:
    assert set(names) <= set(GROUPS[group])


def test_a_name_that_says_that_it_limits_is_restricted() -> None:
    limiting = {name for name in NAMES if {"NC", "ND", "NoDerivs", "Noncommercial"} & set(name.split("-"))}
    assert len(limiting) > 20
    assert limiting <= set(GROUPS["restricted"])


def test_old_identifiers_and_those_of_countries() -> None:
    assert in_words("BSD-2-Clause-FreeBSD") == "BSD-2-Clause-Views"
    assert in_words("CC-BY-NC-SA-2.0-UK") == "CC-BY-NC-SA-2.0"
    assert {"CC-BY-NC-SA-2.0-UK", "Classpath-exception-2.0"}.isdisjoint(NAMES)
    assert {"CC-BY", "BSD"}.isdisjoint(SPDX)


def test_addresses() -> None:
    assert at_address("www.creativecommons.org", "licenses/by-sa/4.0/legalcode") == "CC-BY-SA-4.0"
    assert at_address("spdx.org", "licenses/MIT.html") == "MIT"
    assert at_address("example.org", "licenses/MIT.html") is None
