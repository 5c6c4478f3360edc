"""Precision, recall and F1 of spans against marked places; the misses and the false alarms by name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.pii.marked import KINDS, Marked

Spans = Sequence[tuple[str, int, int, float]]  # kind, bytes [start, end), score


@dataclass
class Judged:
    """Marked places that a span of the kind touches, those that none does, and spans that touch no place."""

    found: int = 0
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return _share(self.found, self.found + len(self.false))

    @property
    def recall(self) -> float:
        return _share(self.found, self.found + len(self.missed))

    @property
    def f1(self) -> float:
        return _share(2 * self.found, 2 * self.found + len(self.false) + len(self.missed))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def judge(texts: Sequence[Marked], spans: Iterable[Spans]) -> dict[tuple[str, str], Judged]:
    """(kind, language) -> what was found in the texts."""
    judged: dict[tuple[str, str], Judged] = {}
    for text, found in zip(texts, spans, strict=True):
        content = text.text.encode()
        for kind in KINDS:
            places = [(start, end) for name, start, end in text.places if name == kind]
            values = [(start, end) for name, start, end, _ in found if name == kind]
            if not places and not values:
                continue
            result = judged.setdefault((kind, text.language), Judged())
            for place in places:
                if any(_touch(place, value) for value in values):
                    result.found += 1
                else:
                    result.missed.append(_shown(content, *place))
            result.false += [_shown(content, *value) for value in values if not any(_touch(value, p) for p in places)]
    return judged


def judge_contacts(pages: Sequence[Marked], spans: Iterable[Spans]) -> dict[str, Judged]:
    """Kind -> which of the contacts that pages link to were found where the text shows them. `false`: values that are
    no link's, which may be contacts all the same."""
    judged = {kind: Judged() for kind in ("email", "phone")}
    for page, found in zip(pages, spans, strict=True):
        content = page.text.encode()
        for kind, result in judged.items():
            values = {
                content[start:end].decode(): _same(kind, content[start:end].decode())
                for name, start, end, _ in found
                if name == kind
            }
            wanted = {_same(kind, value): value for value in (page.contacts or {}).get(kind, ())}
            shown = _same(kind, page.text)
            for key, value in wanted.items():
                if key in values.values():
                    result.found += 1
                elif key in shown:
                    result.missed.append(value)
            result.false += [value for value, key in values.items() if key not in wanted]
    return judged


def _same(kind: str, value: str) -> str:
    """What two ways to write a contact share: small letters, or the last seven digits of a short text."""
    if kind == "email":
        return value.lower()
    digits = "".join(char for char in value if char.isdecimal())
    return digits[-7:] if len(value) < 40 else digits


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _shown(content: bytes, start: int, end: int) -> str:
    before = content[max(start - 30, 0) : start]
    value = content[start:end]
    after = content[end : end + 15]
    return " ".join(f"{before.decode(errors='replace')}[{value.decode()}]{after.decode(errors='replace')}".split())
