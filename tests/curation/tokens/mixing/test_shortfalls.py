"""What a mix lacks, in sentences."""

from curation.tokens.mix import Mix
from curation.tokens.mixing.phases import Phase
from curation.tokens.mixing.shortfalls import shortfalls
from tests.curation.tokens.test_mix import PACKS, THIRDS, section


def test_what_a_phase_gives_nothing_of_is_said() -> None:
    """4 % of 100 tokens are less than half a row; fr, which got less of the first phase, has the row that is left."""
    packs = [("05-pack", section(en=100, de=100, fr=100))]
    phases = (Phase(name="main", share=0.9), Phase(name="anneal", share=0.1))
    index = Mix(weights={"en": 92, "de": 4, "fr": 4}, tokens=1_000, phases=phases).build(packs)
    assert list(shortfalls(index)) == [
        "anneal has no row of de (0 of 4 tokens): a row has 10 tokens; raise `tokens` or the weights, or pack shorter "
        "rows"
    ]
    (short,) = shortfalls(Mix(weights=THIRDS, tokens=10_010, exhausted="cap").build(PACKS))
    assert short == "mix has 10,000 of its 10,010 tokens, its sources have no more: raise max_epochs or add sources"
    assert not list(shortfalls(Mix().build(PACKS)))
