"""Which licences are kept: names, families, groups, none stated, unknown ones; and what is no licence."""

import pytest

from curation.core.errors import RecipeError
from curation.filters.licence_policy import LicencePolicy
from tests.support import documents, table, verdict


@pytest.mark.parametrize(
    ("licence", "reason"),
    [
        pytest.param("https://creativecommons.org/licenses/by-sa/4.0/", None, id="share-alike"),
        pytest.param("MIT License", None, id="permissive"),
        pytest.param("CC0", None, id="public domain"),
        pytest.param("MIT OR GPL-3.0-only", None, id="a choice"),
        pytest.param("CC-BY-NC-4.0", "name:not_in", id="not for all purposes"),
        pytest.param("GPL-3.0-or-later", "name:not_in", id="copyleft"),
        pytest.param("All rights reserved", "known:low", id="unknown"),
        pytest.param("CC-BY-SA-4.0/3.0 (Stack Exchange data dump)", None, id="both are allowed"),
        pytest.param("MIT/GPL-3.0", "name:not_in", id="one of both is not"),
        pytest.param("MIT (repo); pages (c) owners", "known:low", id="of other owners"),
        pytest.param("None", "stated:low", id="the word for none"),
        pytest.param(None, "stated:low", id="none stated"),
        pytest.param(" ", "stated:low", id="blank"),
    ],
)
def test_by_default_open_licences_are_kept(licence: str | None, reason: str | None) -> None:
    assert verdict(LicencePolicy(), "", licence=licence) == reason


def test_documents_without_a_known_licence_can_be_kept() -> None:
    kept = LicencePolicy(none_stated="keep", unknown="keep")
    assert verdict(kept, "", licence=None) is None
    assert verdict(kept, "", licence="/terms") is None
    assert verdict(kept, "", licence="CC-BY-NC-4.0") == "name:not_in"
    assert verdict(LicencePolicy(none_stated="keep"), "", licence="/terms") == "known:low"
    assert verdict(LicencePolicy(unknown="keep"), "", licence=None) == "stated:low"


@table(
    ("allow", "deny", "kept", "dropped"),
    {
        "a name": (["MIT"], [], ["MIT"], ["ISC", "MIT-0"]),
        "a name in words": (["cc by-sa 4.0"], [], ["CC-BY-SA-4.0"], ["CC-BY-SA-3.0"]),
        "a family": (["CC-BY-*"], [], ["CC-BY", "CC-BY-1.0", "CC-BY-4.0"], ["CC-BY-SA-4.0", "CC-BY-NC-4.0"]),
        "a family in small letters": (["gpl-*"], [], ["GPL-2.0", "GPL-3.0+"], ["LGPL-3.0", "AGPL-3.0"]),
        "a group": (["permissive"], [], ["ISC", "BSD"], ["CC0", "CC-BY-4.0", "MPL-2.0"]),
        "all": (["*"], [], ["CC-BY-NC-4.0", "MIT"], []),
        "all but a group": (["*"], ["restricted"], ["AGPL-3.0"], ["CC-BY-ND-4.0", "BUSL-1.1"]),
        "a group but a family": (["permissive"], ["Apache-*"], ["MIT"], ["Apache", "Apache-2.0"]),
    },
)
def test_names_families_and_groups(allow: list[str], deny: list[str], kept: list[str], dropped: list[str]) -> None:
    made = LicencePolicy(allow=tuple(allow), deny=tuple(deny))
    for licence in kept:
        assert verdict(made, "", licence=licence) is None, licence
    for licence in dropped:
        assert verdict(made, "", licence=licence) == "name:not_in", licence


def test_each_of_several_must_be_allowed() -> None:
    assert verdict(LicencePolicy(allow=("CC-BY-SA-4.0",)), "", licence="CC-BY-SA-4.0/3.0") == "name:not_in"
    assert verdict(LicencePolicy(allow=("CC-BY-SA-*",)), "", licence="CC-BY-SA-4.0/3.0") is None
    assert verdict(LicencePolicy(allow=("*",), deny=("MIT",)), "", licence="MIT AND ISC") == "name:not_in"


def test_of_a_choice_one_must_be_allowed() -> None:
    for allow, deny in ((("Apache-2.0",), ()), (("*",), ("MIT",)), (("MIT",), ())):
        assert verdict(LicencePolicy(allow=allow, deny=deny), "", licence="MIT OR Apache-2.0") is None
    assert verdict(LicencePolicy(allow=("ISC",)), "", licence="MIT OR Apache-2.0") == "name:not_in"
    assert (
        verdict(LicencePolicy(allow=("ISC", "GPL-*")), "", licence="MIT AND ISC OR GPL-2.0 AND Zlib") == "name:not_in"
    )
    assert verdict(LicencePolicy(allow=("ISC", "GPL-*")), "", licence="MIT AND ISC OR GPL-2.0 AND ISC") is None


def test_the_measure_is_the_same_whatever_is_allowed() -> None:
    batch = documents(*[""] * 4, licence=["MIT", None, "by heart", "CC BY 4.0"])
    signals = {name: values.to_pylist() for name, values in LicencePolicy().measure(batch).items()}
    assert signals == {
        "stated": [1, 0, 1, 1],
        "known": [1, 1, 0, 1],
        "name": ["MIT", "none stated", "unknown", "CC-BY-4.0"],
    }
    assert LicencePolicy(allow=("*",), unknown="keep").measure(batch) == LicencePolicy().measure(batch)


@table(
    ("options", "message"),
    {
        "name": ({"allow": ("CC-BY-5.0",)}, "no licence, family or group 'CC-BY-5.0'; did you mean 'CC-BY-"),
        "group": ({"deny": ("permisive",)}, "did you mean 'permissive'"),
        "family": ({"allow": ("GPPL-*",)}, "did you mean '"),
        "nothing like it": ({"allow": ("???",)}, "groups are public-domain, permissive"),
        "nothing left": ({"allow": ("MIT",), "deny": ("permissive",)}, "leaves nothing of allow"),
        "nothing allowed": ({"allow": ()}, "leaves nothing of allow"),
    },
)
def test_what_is_no_licence(options: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        LicencePolicy(**options)  # type: ignore[arg-type]
    assert message in str(caught.value)
