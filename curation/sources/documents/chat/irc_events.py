"""Knows what IRC clients, bouncers and loggers say of a channel, such as joins and changes of topic, by their words."""

import re

_WHO = r"\S+ {1,2}(?:.*[\])>] {1,2})?"  # a nick, and perhaps its host mask in brackets
EVENTS = {
    "join": re.compile(
        rf"{_WHO}(?:has )?joined(?: (?:[#&!+(]|the (?:channel|chat room|room)|channel|IRC)|[.]?$)|Joins:? |Join\t"
        rf"|Now talking |You are now talking |{_WHO}(?:has )?entered the room"
    ),
    "quit": re.compile(
        rf"{_WHO}(?:has )?(?:(?:quit|Quit)(?: [(\[:]| IRC|[.]?$)|left (?:IRC|irc|this server|the room \(quit)\b"
        r"|signed off)|Quits:? |Quit\t|Disconnected"
    ),
    "part": re.compile(
        rf"{_WHO}(?:has )?(?:left|parted)(?: (?:[#&!+(\[]|the (?:channel|chat room|room)|channel)|[.]?$)|Parts:? "
        r"|Part\t|\S+ (?:by \S+ )?from [#&]"
    ),
    "mode": re.compile(
        rf"mode[/ ][#&+-]|[#&]\S+: mode change |\S+ sets? mode|{_WHO}(?:changes|changed|has changed) (?:the )?mode"
        r"|\S+ (?:gives|removes) (?:channel|voice)",
        re.IGNORECASE,
    ),
    "kick": re.compile(r"\S+ (?:(?:was|has been) kicked|has kicked|kicked \S+ from) |Kicks: "),
    "nick": re.compile(
        r".* (?:is|are) now known as |Nick change: |\S+ (?:changed|changes) nick(?:name)? to |\S+ → \S+$"
    ),
    "topic": re.compile(
        rf"topic |topic$|set by |{_WHO}(?:has )?(?:change[sd]?|sets?|is changing) (?:the )?topic[ :]|The topic ",
        re.IGNORECASE,
    ),
    "event": re.compile(r"Attempting to |Retrieving [#&]|Rejoined |Connect(?:ing|ed) |You (?:have|are|were|dis|conn)"),
}  # fmt: skip


def event_in(line: str, start: int = 0) -> str | None:
    """The event of EVENTS that a line tells from `start` on; None for none."""
    return next((name for name, event in EVENTS.items() if event.match(line, start)), None)
