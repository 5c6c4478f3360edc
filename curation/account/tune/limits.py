"""The rule sets of a sealed filter stage, rebuilt from the run's recipe, and the same ones with other limits.

An option is a limit when another value of it gives other rules; any other option changes what is measured, and that
needs the text again. What an option bounds is found by trying: no rule set has to say it twice.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curation.account.run.bounds import recorded, sides
from curation.account.run.run_folder import RunFolder
from curation.account.run.stage import Stage
from curation.core import catalog, storage
from curation.core.by_language import ByLanguage
from curation.core.errors import InputError, RecipeError, UserError
from curation.core.rules import Rule, impossible
from curation.core.settings import YamlFile, build, load_yaml, nearest, typed
from curation.core.verbs import FILTER

RuleSets = dict[str, Any]  # by key, in the order in which they are tried
Changes = dict[str, dict[str, Any]]  # key -> option -> value; a limit of one language: "by_language.de.min_words"
Bounds = dict[str, Any]  # language, or EVERY, -> the bound there; None where a language has it lifted
BY_LANGUAGE = "by_language"
EVERY = "*"  # stands for all languages that have no limit of their own


def parse_changes(given: Iterable[str]) -> Changes:
    """`KEY.OPTION=VALUE` each, the value as YAML. Raises UserError for anything else."""
    changes: Changes = {}
    expected = "KEY.OPTION=VALUE, e.g. gopher_quality.min_words=30"
    for setting in given:
        name, value = parse_setting(setting, expected)
        key, _, option = name.partition(".")
        if not (key and option):
            raise UserError(f"--set {setting[:80]}: expected {expected}")
        changes.setdefault(key, {})[option] = value
    return changes


def parse_setting(setting: str, expected: str) -> tuple[str, Any]:
    """Name and value of `NAME=VALUE`, the value as YAML. Raises UserError, which says what was `expected`."""
    name, mark, value = setting.partition("=")
    if not (mark and name.strip()):
        raise UserError(f"--set {setting[:80]}: expected {expected}")
    try:
        return name.strip(), load_yaml(f"value: {value}", "--set").data["value"]
    except RecipeError as error:
        raise UserError(f"--set {setting[:80]}: {value[:80]!r} is no YAML value") from error


def rule_sets(run: RunFolder, stage: Stage) -> RuleSets:
    """Those of a filter stage as they judged it.

    Raises InputError where this winnow no longer has them, or where they would now set other limits than it recorded.
    """
    recipe = run.record.recipe
    items = recipe["sources"].get(stage.entry.chain, recipe["joined"])
    options = [item["filter"] for item in items if "filter" in item]
    of_chain = [one for one in run.stages if one.verb.judges and one.entry.chain == stage.entry.chain]
    recipe_item = options[of_chain.index(stage)]
    fitted = {
        f"@{one.name}": storage.join(one.folder, one.manifest.asset["file"])
        for one in run.stages
        if one.manifest.asset is not None
    }
    sets: RuleSets = {}
    for key in (name for name, _ in stage.manifest.schema if name in recipe_item):
        values = {
            name: fitted.get(value, value) if isinstance(value, str) else value
            for name, value in recipe_item[key].items()
        }
        sets[key] = build(_class(key), YamlFile(f"{run.record.name}: run.json", None, {}), (key,), values)
        own = [rule for owner, rule in recorded(stage.manifest) if owner == key]
        if _comparable(sets[key].rules()) != _comparable(own):
            raise InputError(
                f"{stage.name}: {key} sets other limits in this winnow than in the run; use the winnow that wrote it, "
                "or curate again"
            )
    return sets


def _class(key: str) -> type:
    try:
        return catalog.find(FILTER, key)
    except UserError as error:
        raise InputError(f"this winnow has no filter {key!r}; use the winnow that wrote the run") from error


def _comparable(rules: Sequence[Rule]) -> list[Rule]:
    """Without the order of languages, which a recipe file may give in any."""
    found = [
        dataclasses.replace(
            rule, but=tuple(sorted(rule.but)), only=None if rule.only is None else tuple(sorted(rule.only))
        )
        for rule in rules
    ]
    return sorted(found, key=repr)


def with_changes(key: str, part: Any, changes: Mapping[str, Any]) -> Any:
    """The rule set with other limits. Raises UserError for an unknown option or an impossible value."""
    for option, value in changes.items():
        where = f"--set {key}.{option}={value}"
        name, _, rest = option.partition(".")
        options: dict[str, Any] = {one.name: getattr(part, one.name) for one in dataclasses.fields(part)}
        if name not in options:
            raise UserError(f"{where}: {key} has no option {name!r}{nearest(name, options)}")
        before = options[name]
        options[name] = _in_language(name, options[name], rest, value, where) if name == BY_LANGUAGE or rest else value
        try:
            changed = build(type(part), YamlFile(where, None, {}), (), _plain(options))
        except RecipeError as error:
            raise UserError(str(error)) from error
        if name != BY_LANGUAGE and getattr(changed, name) != before and not _bounds(key, name, part, changed):
            raise UserError(f"{where}: {name} is no limit on what this run measured; set it in the recipe and curate")
        part = changed
    mistake = impossible(part)
    if mistake is not None:
        raise UserError(f"{'.'.join((key, *mistake[0]))}: {mistake[1]}")
    return part


def _bounds(key: str, option: str, part: Any, changed: Any) -> bool:
    """Whether the option, which differs between the two, bounds signals that are measured alike."""
    if option in getattr(part, "measuring", ()):
        return False
    return changed.rules() != part.rules() or option in limit_options(key, part).values()


def _in_language(name: str, given: Any, rest: str, value: Any, where: str) -> dict[str, Any]:
    """The option by language with one value more: that of `by_language` of a limit, another (`min_scores`) its own."""
    if name != BY_LANGUAGE and isinstance(given, Mapping):
        return {**given, rest: value}
    language, _, limit = rest.partition(".")
    if name != BY_LANGUAGE or not limit:
        raise UserError(f"{where}: expected KEY.by_language.LANGUAGE.LIMIT=VALUE")
    return {**given, language: {**given.get(language, {}), limit: value}}


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Nested dataclasses and mappings as plain ones, as a recipe would have them."""
    return {
        name: dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value
        for name, value in options.items()
    }


def bounds_by_limit(key: str, rules: Sequence[Rule]) -> dict[str, Bounds]:
    """Limit ("<key>.<signal>:<low|high|not_in>") -> its bounds, in the order of the rules; a language only where its
    bound is another than for all."""
    found: dict[str, Bounds] = {}
    for rule in rules:
        for side, bound in sides(rule).items():
            bounds = found.setdefault(f"{key}.{rule.signal}:{side}", {})
            bounds |= dict.fromkeys(rule.but) | dict.fromkeys(rule.only or (EVERY,), bound)
    return {
        limit: {where: bound for where, bound in bounds.items() if where == EVERY or bound != bounds.get(EVERY)}
        for limit, bounds in found.items()
    }


def bound_for(bounds: Bounds, language: str | None) -> Any:
    """The bound that holds for a language (None: for every one without its own), None where there is none."""
    return bounds.get(language or EVERY, bounds.get(EVERY))


def limit_options(key: str, part: Any) -> dict[str, str]:
    """Limit -> the numeric option that sets it for all languages, where there is one."""
    general: Any = dataclasses.replace(part, by_language={}) if isinstance(part, ByLanguage) else part
    bounds = bounds_by_limit(key, general.rules())
    found: dict[str, str] = {}
    for field in dataclasses.fields(general):
        value = getattr(general, field.name)
        numeric = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        if not numeric or field.name in getattr(part, "measuring", ()):
            continue
        for other in _other_values(value, bounds):
            try:
                other = typed(type(part), field.name, other, key)
                tried = bounds_by_limit(key, dataclasses.replace(general, **{field.name: other}).rules())
            except ValueError:  # the rule set takes no such value: the next one
                continue
            follows = [limit for limit in bounds if tried.get(limit) == {EVERY: other} != bounds[limit]]
            found |= dict.fromkeys(follows, field.name)
            if follows:
                break
    return found


def _other_values(value: float | None, bounds: Mapping[str, Bounds]) -> list[float]:
    """Values that the option does not have; an option that is not set stands for one of the bounds."""
    given = [bound[EVERY] for bound in bounds.values() if EVERY in bound] if value is None else [value]
    numbers = [one for one in dict.fromkeys(given) if isinstance(one, int | float)]
    return [other for one in numbers for other in (one + 1, one // 2 if isinstance(one, int) else one / 2)]
