"""Templates whose text takes more than putting arguments in places: measures, numbers, fractions.

Measures stay in the units in which they were written.

Source: https://en.wikipedia.org/wiki/Template:Convert and of the same form Template:Val, Template:Frac, Template:As_of,
Template:Chem, Template:Chem2, Template:Birth date; https://fr.wikipedia.org/wiki/Modèle:Unité.
"""

import re
from calendar import month_name
from collections.abc import Mapping
from typing import TypeAlias

from curation.text.html.inline_marks import raised

Arguments: TypeAlias = Mapping[str, str]  # plain text by name; "1", "2" … where they have none

_NUMBER = re.compile(r"[-−+]?[.,]?\d[\d.,/+⁄e]*")
_CHARGE = re.compile(r"\d*[-+−–]")
_CHARGED = re.compile(r"\((\d{0,2}[-+−–])\)")
_BETWEEN = {
    **dict.fromkeys(("-", "–", "to(-)", "and(-)"), "–"),
    **{"x": " × ", "×": " × ", "xx": " × ", "*": " × ", "+/-": " ± ", "±": " ± ", "+/−": " ± "},
    **{word: f" {word} " for word in ("to", "and", "or", "by", "to about", "and about")},
    ",": ", ",
    "+": " + ",
}
_UNITS = """sqmi=sq mi; sqft=sq ft; sqyd=sq yd; cuft=cu ft; cumi=cu mi; cuyd=cu yd; mm2=mm²; cm2=cm²; m2=m²; km2=km²;
    kn=knots; cm3=cm³; m3=m³; km3=km³; m/s2=m/s²; C=°C; F=°F; C-change=°C; F-change=°F; kph=km/h; MT=tonnes; acre=acres;
    nmi=nautical miles; hp=horsepower; USgal=US gallons; impgal=imperial gallons; LT=long tons; ST=short tons"""
_SHOWN = dict(unit.strip().split("=") for unit in _UNITS.split(";"))
_PARTS = {tuple(pair.split()) for pair in "mi ch,mi yd,mi ft,yd ft,yd in,ft in,st lb,lb oz".split(",")}  # 6 ft 2 in
_POWERS = {"": "", "1": "", "2": "²", "3": "³"}


def positional(arguments: Arguments) -> list[str]:
    """The values of "1", "2" …, up to the first that is missing."""
    values: list[str] = []
    while (value := arguments.get(str(len(values) + 1))) is not None:
        values.append(value)
    return values


def converted(arguments: Arguments) -> str:
    """`5|-|10|km|mi` -> "5–10 km", `6|ft|2|in|m` -> "6 ft 2 in"."""
    values = positional(arguments)
    text = ""
    at = 0
    while at < len(values):
        text += values[at]
        at += 1
        while at + 1 < len(values) and values[at] in _BETWEEN:
            text += _BETWEEN[values[at]] + values[at + 1]
            at += 2
        if at == len(values):
            break
        unit = values[at]
        text += f" {_SHOWN.get(unit, unit)}"
        following = values[at + 1 : at + 3]
        if len(following) < 2 or (unit, following[1]) not in _PARTS or not _NUMBER.fullmatch(following[0]):
            break
        text += " "
        at += 1
    return text


def with_powers(arguments: Arguments) -> str:
    """`1234|km|2|s|-1` -> "1234 km² s^-1": a value, then units each with its power."""
    values = positional(arguments)
    pairs = zip(values[1::2], [*values[2::2], ""], strict=False)
    return " ".join([*values[:1], *(unit + _POWERS.get(power, f"^{power}") for unit, power in pairs if unit)])


def number(arguments: Arguments) -> str:
    """`5.2|0.1|e=6|u=m|up=s` -> "5.2 ± 0.1 × 10^6 m/s"; `1|+2|-3` -> "1 +2 -3"; `p` is before it, `s` behind."""
    values = [value for value in positional(arguments)[:3] if value]
    text = (" " if len(values) > 2 else " ± ").join(values)
    power = arguments.get("e")
    unit = arguments.get("u") or arguments.get("ul") or ""
    per = arguments.get("up") or arguments.get("upl") or ""
    measured = f"{arguments.get('p', '')}{text}{f' × 10^{power}' if power else ''}{arguments.get('s', '')}"
    return f"{measured} {unit}{'/' if per else ''}{per}".rstrip()


def chemical(arguments: Arguments) -> str:
    """`SO|4|2-` -> "SO4" and a charge that is raised: elements and their numbers."""
    return "".join(raised(part) if _CHARGE.fullmatch(part) else part for part in positional(arguments))


def formula(arguments: Arguments) -> str:
    """`SO4(2-)` -> "SO4" and a charge that is raised; `A + B -> C` with its arrow."""
    text = "".join(positional(arguments))
    return _CHARGED.sub(lambda charge: raised(charge[1]), text).replace("<->", "⇌").replace("->", "→").replace("*", "·")


def dated(arguments: Arguments) -> str:
    """`2010|5|3` -> "3 May 2010", `2010|5` -> "May 2010"; other dates as they are written."""
    values = [value for value in positional(arguments)[:3] if value]
    if not all(value.isdecimal() for value in values) or (len(values) > 1 and not 0 < int(values[1]) <= 12):
        return values[0] if values else ""
    return " ".join([*values[2:], *(month_name[int(month)] for month in values[1:2]), *values[:1]])


def fraction(arguments: Arguments) -> str:
    """`2` -> "1/2", `1|2` -> "1/2", `3|1|2` -> "3 1/2"."""
    values = positional(arguments)
    if len(values) == 1:
        return f"1/{values[0]}"
    whole = f"{values[-3]} " if len(values) > 2 else ""
    return whole + "/".join(values[-2:])


def as_of(arguments: Arguments) -> str:
    """`2020|3|1` -> "As of 1 March 2020"."""
    values = positional(arguments)[:3]
    if len(values) > 1 and re.fullmatch(r"0?[1-9]|1[012]", values[1], re.ASCII):
        values[1] = month_name[int(values[1])]
    begin = "since" if arguments.get("since") else "as of"
    begin = begin if arguments.get("lc") else begin.capitalize()
    return arguments.get("alt") or " ".join([begin, *filter(None, reversed(values))])
