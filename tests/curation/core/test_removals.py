"""Names of documents that were taken down elsewhere."""

from curation.core.removals import KnownTakedown, merged

RUN = KnownTakedown("/runs/m1", "2026-11-01T00:00:00+00:00", ("a",), ("t",), ("u",), 1)
LIST = KnownTakedown("/list.txt", "", ("b",), (), ("v", "w"), 3)


def test_what_it_names() -> None:
    assert [RUN.names(*one) for one in (("a", None, None), (None, "t", None), ("x", "y", "u"))] == [True] * 3
    assert not RUN.names("b", None, None)


def test_what_was_named_once_stays() -> None:
    shorter = KnownTakedown("/list.txt", "", (), (), ("w", "x"))
    assert merged((RUN, LIST), (shorter,)) == (RUN, KnownTakedown("/list.txt", "", ("b",), (), ("v", "w", "x"), 4))
    assert merged((), (RUN, RUN)) == (RUN,)
    assert merged((RUN,), ()) == (RUN,)
