"""Licences as people write them, and the identifiers that are meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.licences.expressions import NONE_STATED, UNKNOWN, asked_for, licence_name
from curation.text.licences.names import NAMES

CC = "https://creativecommons.org"


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
        pytest.param("GPL-3.0-only OR MIT", "MIT OR GPL-3.0-only", id="a choice, the freer first"),
        pytest.param("MIT OR Made-Up-1.0", "MIT", id="one may choose what one knows"),
        pytest.param("MIT AND CC-BY-NC-4.0", "CC-BY-NC-4.0 AND MIT", id="both"),
        pytest.param("Apache-2.0+CC-BY-SA-4.0", "Apache-2.0 AND CC-BY-SA-4.0", id="a plus sign"),
        pytest.param("MIT AND Made-Up-1.0", UNKNOWN, id="one must keep what one does not know"),
        pytest.param("MIT OR GPL-3.0-only AND ISC", "MIT OR GPL-3.0-only AND ISC", id="AND binds more closely"),
        pytest.param("(MIT OR ISC) AND Zlib", "ISC AND Zlib OR MIT AND Zlib", id="brackets"),
        pytest.param("GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only", id="an exception"),
        pytest.param("GPL-2.0-or-later WITH GCC-exception-3.1 OR MIT", "MIT OR GPL-2.0-or-later", id="one of two"),
        pytest.param("MIT or Apache-2.0, at your option", "Apache-2.0 OR MIT", id="in small letters"),
        pytest.param("MIT OR Zlib AND ISC OR CC0-1.0", "CC0-1.0 OR MIT OR ISC AND Zlib", id="three ways"),
        pytest.param("MIT AND (MIT OR ISC) OR MIT", "MIT", id="no way that asks for more than another"),
        pytest.param(" AND ".join(["(MIT OR ISC)"] * 9), "ISC OR MIT", id="the same choice over and over"),
        pytest.param(" AND ".join(f"({NAMES[n]} OR {NAMES[-n]})" for n in range(1, 8)), UNKNOWN, id="too many ways"),
        pytest.param("Apache-2.0 WITH Commons-Clause", UNKNOWN, id="an addition that is no exception"),
        pytest.param("MIT OR ask us", UNKNOWN, id="a sentence is no alternative"),
        pytest.param("not MIT or Apache-2.0", UNKNOWN, id="a sentence that says no"),
        pytest.param("OR", UNKNOWN, id="nothing to choose from"),
        pytest.param("(MIT OR ISC", UNKNOWN, id="bracket not closed"),
        pytest.param("() OR MIT", UNKNOWN, id="nothing in brackets"),
        pytest.param("ISC OR ( OR MIT", UNKNOWN, id="an operator behind a bracket"),
        pytest.param("MIT OR ISC) AND ISC", UNKNOWN, id="bracket not opened"),
        pytest.param("(" * 900 + "MIT OR ISC", UNKNOWN, id="too many brackets"),
    ],
)
def test_expressions(stated: str, name: str) -> None:
    assert asked_for(stated) == name


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ("CC-BY-SA-3.0 (Wikipedia)", "CC-BY-SA-3.0"),
        ("CC-BY-SA-3.0 (Stack Exchange data dump)", "CC-BY-SA-3.0"),
        ("CC-BY-SA-4.0/3.0 (Stack Exchange data dump)", "CC-BY-SA-3.0 AND CC-BY-SA-4.0"),
        ("CC BY-SA 4.0/3.0/2.5", "CC-BY-SA-2.5 AND CC-BY-SA-3.0 AND CC-BY-SA-4.0"),
        ("public domain (US government speech)", "CC-PDDC"),
        ("public domain text (collection README); markup CC-BY-4.0", "CC-BY-4.0 AND CC-PDDC"),
        ("GFDL-1.2-or-later (COPYING)", "GFDL-1.2-or-later"),
        ("CC-BY (version not stated)", "CC-BY"),
        ("Apache-2.0 (repo)", "Apache-2.0"),
        ("CC0-1.0 (repo LICENSE)", "CC0-1.0"),
        ("CC0 (text) / Apache-2.0 (repo)", "Apache-2.0 AND CC0-1.0"),
        ("Apache-2.0+MIT+BSD-3-Clause", "Apache-2.0 AND BSD-3-Clause AND MIT"),
        ("MIT/Apache-2.0", "Apache-2.0 AND MIT"),
        ("MPL 1.1/GPL 2.0/LGPL 2.1", "GPL-2.0-only AND LGPL-2.1-only AND MPL-1.1"),
        ("GPL-3.0; CC-BY-4.0", "CC-BY-4.0 AND GPL-3.0-only"),
        ("GPL-3.0 and CC-BY-4.0", "CC-BY-4.0 AND GPL-3.0-only"),
        ("['MIT', 'Apache-2.0']", "Apache-2.0 AND MIT"),
        ("MIT (CC BY-NC 4.0)", "CC-BY-NC-4.0 AND MIT"),
        ("Text CC BY 4.0, pictures CC BY-NC 4.0", UNKNOWN),
        ("GPL (>= 2)", "GPL-2.0-or-later"),
        ("GPL v2 or (at your option) any later version", "GPL-2.0-or-later"),
        ("GPL-2 | GPL-3", "GPL-2.0-only AND GPL-3.0-only"),
        ("MIT + file LICENSE", "MIT"),
        ("License :: OSI Approved :: MIT License", "MIT"),
        ("Creative Commons - Attribution - https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("CC BY-NC 4.0 https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0 AND CC-BY-NC-4.0"),
        ("Not under https://creativecommons.org/licenses/by/4.0/", UNKNOWN),
        ("MIT (repo setup.py); pages (c) owners", UNKNOWN),
        ("CC-BY-4.0 (annotations+dataset); pages (c) owners", UNKNOWN),
        ("public domain text (no licence file in repo)", UNKNOWN),
        ("unknown (arXiv sources via RedPajama sample; research use only)", UNKNOWN),
        ("Apache-2.0 (with Commons Clause)", UNKNOWN),
        ("CC BY 4.0 (nicht kommerziell)", UNKNOWN),
        ("CC BY 4.0 (Nur privat)", UNKNOWN),
        ("CC BY 4.0 (pour un usage privé)", UNKNOWN),
        ("CC BY 4.0 (sólo uso personal)", UNKNOWN),
        ("CC BY 4.0 (非商用)", UNKNOWN),
        ("CC BY 4.0 (AI training requires a contract)", UNKNOWN),
        ("CC BY 4.0 (limited)", UNKNOWN),
        ("CC BY 4.0 非商用", UNKNOWN),
        ("MIT, не для коммерческого использования", UNKNOWN),
        ("© MIT", UNKNOWN),
        ("MIT (revoked)", UNKNOWN),
        ("CC BY 4.0 (abstracts)", UNKNOWN),
        ("CC BY 4.0 (Universität Wien)", "CC-BY-4.0"),
        ("MIT (code)", UNKNOWN),
        ("modified MIT (LAMBADA openai)", UNKNOWN),
        ("CC BY 4.0 SA", UNKNOWN),
        ("CC0 non-commercial", UNKNOWN),
        ("UNLICENSED", UNKNOWN),
        ("GOV2 web pages (.gov); repo MIT", UNKNOWN),
        ("None", NONE_STATED),
        ("not stated", NONE_STATED),
        ("NOASSERTION", NONE_STATED),
        ("-", NONE_STATED),
        ("not stated in repo; pages (c) owners", UNKNOWN),
    ],
)
def test_statements_as_people_write_them(stated: str, name: str) -> None:
    assert asked_for(stated) == name


def test_several_are_no_name() -> None:
    assert licence_name("MIT AND ISC") is licence_name("None") is licence_name("all rights") is None


pieces = st.sampled_from(
    ["MIT", "OR", "AND", "WITH", "(", ")", "/", "+", "CC", "BY", "4.0", "//", "GPLv", "é", "-", ""]
)


@given(st.one_of(st.text(max_size=60), st.lists(pieces, max_size=12).map(" ".join)))
def test_any_text_asks_for_names_or_is_unknown(stated: str) -> None:
    found = asked_for(stated)
    ways = [way.split(" AND ") for way in found.split(" OR ")]
    assert {name for way in ways for name in way} <= set(NAMES) or found in {NONE_STATED, UNKNOWN}
    assert all(way == sorted(set(way)) for way in ways)
    assert asked_for(found) == found


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
