"""Components and keys of files, as `winnow list` and `winnow describe` show them."""

from collections.abc import Sequence

from rich.console import Console

from pipelines.component_docs import Description, Listing
from pipelines.render.console import plain, say, table
from pipelines.render.tables import Column, view
from pipelines.setting_docs import Setting


def components(console: Console, listed: list[Listing]) -> None:
    cells = []
    verb = None
    for component in listed:
        sentence = component.sentence + (f" (from {component.package})" if component.package else "")
        name = "" if component.verb is verb else component.verb.name
        cells.append((name, f"[bold]{component.key}[/]", plain(sentence)))
        verb = component.verb
    console.print(table(("verb", "key", "what it does"), cells))
    say(
        console,
        "details of one: winnow describe KEY; KEY may be one of a recipe or training config too: sources, steps",
    )


OPTION = (
    Column("default", lambda option: option.default or "(required)"),
    Column("type", "kind"),
    Column("meaning", "note"),
)


def descriptions(console: Console, listed: Sequence[Description | Setting]) -> None:
    for one in listed:
        if isinstance(one, Setting):
            _setting(console, one)
        else:
            _description(console, one)


def _setting(console: Console, setting: Setting) -> None:
    option = setting.option
    default = "required" if option.default is None else f"default {option.default}"
    say(console, f"[bold]{plain(option.name)}[/], key of a {setting.place}: {plain(option.kind)}, {plain(default)}")
    if option.note:
        say(console, plain(option.note))
    if setting.within:
        console.print(view((Column("key within it", "name"), *OPTION), setting.within))
    if setting.components:
        say(console, f"components: {', '.join(setting.components)}; details of one: winnow describe KEY")


def _description(console: Console, description: Description) -> None:
    verb = description.component.verb
    say(console, f"[bold]{verb}: {description.component.key}[/]")
    say(console, "\n".join(map(plain, description.text.splitlines())))
    for title, options in (("option", description.options), (f"beside {verb}:", description.beside)):
        if options:
            console.print(view((Column(title, "name"), *OPTION), options))
    if description.columns:
        console.print(f"columns that it adds, as fields of {description.component.key}:")
    for column in description.columns:
        say(console, f"  {plain(column)}")
    if description.limits:
        console.print("limits by default, by signal:")
    for limit in description.limits:
        say(console, f"  {plain(limit)}")
