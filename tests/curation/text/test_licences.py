"""Licences as people write them, and the identifiers that are meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.licences import GROUPS, NAMES, licence_name

CC = "https://creativecommons.org"


@pytest.mark.parametrize("name", NAMES)
def test_identifiers_are_their_own_names(name: str) -> None:
    for written in (name, name.lower(), name.upper(), name.replace("-", " "), f" {name}\n"):
        assert licence_name(written) == name


def test_a_licence_is_in_one_group() -> None:
    assert len(set(NAMES)) == len(NAMES) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        pytest.param(f"{CC}/licenses/by-sa/4.0/", "CC-BY-SA-4.0", id="Creative Commons"),
        pytest.param("//www.creativecommons.org/licenses/by/2.5", "CC-BY-2.5", id="without scheme and last slash"),
        pytest.param(f"See {CC}/licenses/by-nc-sa/3.0/us/deed.en", "CC-BY-NC-SA-3.0", id="of a country, in a sentence"),
        pytest.param(f"{CC}/licenses/by-nd-nc/1.0/", "CC-BY-NC-ND-1.0", id="old order"),
        pytest.param(f"{CC}/licenses/by/", "CC-BY", id="no version"),
        pytest.param(f"{CC}/licenses/by/7.0/", None, id="a version that there is not"),
        pytest.param(f"{CC}/publicdomain/zero/1.0/", "CC0-1.0", id="zero"),
        pytest.param(f"{CC}/publicdomain/mark/1.0/", "CC-PDM-1.0", id="mark"),
        pytest.param(f"{CC}/about/", None, id="another page there"),
        pytest.param("CC BY-SA 4.0", "CC-BY-SA-4.0", id="short"),
        pytest.param("cc_by_nc_nd_4.0", "CC-BY-NC-ND-4.0", id="underscores"),
        pytest.param("CC-BY-NC-SA-3.0-US", "CC-BY-NC-SA-3.0", id="identifier of a country"),
        pytest.param("Attribution 4.0 International (CC BY 4.0)", "CC-BY-4.0", id="heading of the deed"),
        pytest.param(
            "Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported", "CC-BY-NC-SA-3.0", id="name"
        ),
        pytest.param(
            "This work is licensed under a Creative Commons Attribution 4.0 International License.",
            "CC-BY-4.0",
            id="note",
        ),
        pytest.param("Text CC BY 4.0, pictures CC BY-NC 4.0", None, id="two in one sentence"),
        pytest.param("CC0 1.0 Universal", "CC0-1.0", id="zero in words"),
        pytest.param("Creative Commons", None, id="which one it does not say"),
    ],
)
def test_creative_commons(stated: str, name: str | None) -> None:
    assert licence_name(stated) == name


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ("The MIT License (MIT)", "MIT"),
        ("Expat", "MIT"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ("Apache 2", "Apache-2.0"),
        ("apache2.0", "Apache-2.0"),
        ('BSD 3-Clause "New" or "Revised" License', "BSD-3-Clause"),
        ("GPL-2.0", "GPL-2.0-only"),
        ("GPL-2.0+", "GPL-2.0-or-later"),
        ("GPLv3", "GPL-3.0-only"),
        ("GPLv3+", "GPL-3.0-or-later"),
        ("gpl 3 or any later version", "GPL-3.0-or-later"),
        ("GPL 3 OR ANY LATER VERSION", "GPL-3.0-or-later"),
        ("GNU General Public License v3.0 or later", "GPL-3.0-or-later"),
        ("GNU Lesser General Public License, version 2.1", "LGPL-2.1-only"),
        ("GNU Affero General Public License v3", "AGPL-3.0-only"),
        ("GPL", "GPL-1.0-or-later"),
        ("Mozilla Public License 2.0", "MPL-2.0"),
        ("https://spdx.org/licenses/MIT.html", "MIT"),
        ("https://www.apache.org/licenses/LICENSE-2.0.txt", "Apache-2.0"),
        ("https://www.gnu.org/licenses/old-licenses/gpl-2.0.en.html", None),
        ("https://www.gnu.org/licenses/gpl-3.0.html", "GPL-3.0-only"),
        ("https://opensource.org/licenses/BSD-3-Clause", "BSD-3-Clause"),
        ("https://opensource.org/license/mit/", "MIT"),
        ("https://www.mozilla.org/en-US/MPL/2.0/", "MPL-2.0"),
        ("https://opendatacommons.org/licenses/by/1-0/", "ODC-By-1.0"),
        ("https://opendatacommons.org/licenses/odbl/1.0/", "ODbL-1.0"),
        ("https://example.com/mit", None),
        ("Not released under MIT", None),
        ("All rights reserved", None),
        ("/copyright", None),
        ("proprietary", None),
        ("", None),
    ],
)
def test_other_licences(stated: str, name: str | None) -> None:
    assert licence_name(stated) == name


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        pytest.param("GPL-3.0-only OR MIT", "MIT", id="the freer of two"),
        pytest.param("MIT/Apache-2.0", "MIT", id="a slash, as Rust's packages had it"),
        pytest.param("MIT OR Made-Up-1.0", "MIT", id="one may choose what one knows"),
        pytest.param("MIT AND CC-BY-NC-4.0", "CC-BY-NC-4.0", id="the stricter of two"),
        pytest.param("Apache-2.0+CC-BY-SA-4.0", "CC-BY-SA-4.0", id="a plus sign"),
        pytest.param("MIT AND Made-Up-1.0", None, id="one must keep what one does not know"),
        pytest.param("MIT OR GPL-3.0-only AND CC-BY-NC-4.0", "MIT", id="AND binds more closely"),
        pytest.param("(MIT OR GPL-3.0-only) AND CC-BY-SA-4.0", "CC-BY-SA-4.0", id="brackets"),
        pytest.param("GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only", id="an exception"),
        pytest.param("GPL-2.0-or-later WITH GCC-exception-3.1 OR BUSL-1.1", "GPL-2.0-or-later", id="one of two"),
        pytest.param("OR", None, id="nothing to choose from"),
        pytest.param("(MIT OR ISC", "MIT", id="bracket not closed"),
        pytest.param("MIT OR ISC) AND ISC", None, id="bracket not opened"),
        pytest.param("(" * 900 + "MIT OR ISC", None, id="too many brackets"),
    ],
)
def test_expressions(stated: str, name: str | None) -> None:
    assert licence_name(stated) == name


pieces = st.sampled_from(
    ["MIT", "OR", "AND", "WITH", "(", ")", "/", "+", "CC", "BY", "4.0", "//", "GPLv", "é", "-", ""]
)


@given(st.one_of(st.text(max_size=60), st.lists(pieces, max_size=12).map(" ".join)))
def test_any_text_has_a_name_or_none(stated: str) -> None:
    assert licence_name(stated) in {*NAMES, None}


@pytest.mark.parametrize(
    "stated",
    [
        "GPL-3.0 and CC-BY-4.0",
        "GPL-3.0; CC-BY-4.0",
        "Not licensed under CC BY 4.0",
        "All rights reserved, except figures (CC BY 4.0)",
        "CC BY, not for commercial use",
        "CC BY 4.0 (non-commercial)",
        "CC-BY and noncommercial use only",
        "CC BY 4.0 No Derivatives",
    ],
)
def test_a_creative_commons_name_among_other_words_is_not_the_licence(stated: str) -> None:
    assert licence_name(stated) not in {"CC-BY", "CC-BY-4.0"}
