"""Pictographs: all that later versions of Unicode have are among them."""

import regex

from curation.text.kernels.pictographs import PICTOGRAPHS
from curation.text.kernels.unicode import codes_in


def test_every_pictograph_of_a_later_version_is_listed() -> None:
    pictograph = regex.compile(r"\p{Extended_Pictographic}")
    codes = set(codes_in(PICTOGRAPHS))
    assert {code for code in range(0x20000) if pictograph.match(chr(code))} <= codes
    assert not codes & {*map(ord, "#*0a1"), 0x1F1E6, 0x1F1FF, 0x1F3FB, 0x1F3FF}
