"""Rebuilds the rule sets of a sealed filter stage from the run's recipe, and changes their limits.

An option is a limit if another value gives other rules. Any other option changes what is measured, which needs the text
again. Trying other values shows which limit an option sets, so no rule set has to declare it.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curation.account.run.bounds import recorded, sides
from curation.account.run.components import BY_LANGUAGE, components_of
from curation.account.run.run_folder import RunFolder
from curation.account.run.stage import Stage
from curation.core.by_language import ByLanguage
from curation.core.errors import InputError, RecipeError, UserError
from curation.core.protocols import Filter
from curation.core.rules import Rule, impossible
from curation.core.settings import YamlFile, build, load_yaml, nearest, typed

RuleSets = dict[str, Filter]  # by key, in the order they are tried
Changes = dict[str, dict[str, Any]]  # key -> option -> value; for one language: "by_language.de.min_words"
Bounds = dict[str, Any]  # language or EVERY -> bound; None if it is lifted for the language
EVERY = "*"  # all languages without a limit of their own


def parse_changes(settings: Iterable[str]) -> Changes:
    """Parses `KEY.OPTION=VALUE` settings with YAML values. Raises UserError for anything else."""
    changes: Changes = {}
    expected = "KEY.OPTION=VALUE, e.g. gopher_quality.min_words=30"
    for setting in settings:
        name, value = parse_setting(setting, expected)
        key, _, option = name.partition(".")
        if not (key and option):
            raise UserError(f"--set {setting[:80]}: expected {expected}")
        changes.setdefault(key, {})[option] = value
    return changes


def parse_setting(setting: str, expected: str) -> tuple[str, Any]:
    """Name and value of `NAME=VALUE`, the value as YAML. Raises UserError with the `expected` form."""
    name, mark, value = setting.partition("=")
    if not (mark and name.strip()):
        raise UserError(f"--set {setting[:80]}: expected {expected}")
    try:
        return name.strip(), load_yaml(f"value: {value}", "--set").data["value"]
    except RecipeError as error:
        raise UserError(f"--set {setting[:80]}: {value[:80]!r} is not a YAML value") from error


def rule_sets(run: RunFolder, stage: Stage) -> RuleSets:
    """The rule sets of a filter stage as they judged it.

    Raises InputError if this winnow no longer has one of them, or if one would now set other limits than recorded.
    """
    sets: RuleSets = components_of(run, stage)
    for key, rule_set in sets.items():
        own = [rule for owner, rule in recorded(stage.manifest) if owner == key]
        if _comparable(rule_set.rules()) != _comparable(own):
            raise InputError(
                f"{stage.name}: {key} sets other limits in this winnow than in the run; use the winnow that wrote it, "
                "or curate again"
            )
    return sets


def _comparable(rules: Sequence[Rule]) -> list[Rule]:
    """The rules without the order of languages, which a recipe may list in any order."""
    ordered = [
        dataclasses.replace(
            rule, but=tuple(sorted(rule.but)), only=None if rule.only is None else tuple(sorted(rule.only))
        )
        for rule in rules
    ]
    return sorted(ordered, key=repr)


def with_changes(key: str, rule_set: Filter, changes: Mapping[str, Any]) -> Filter:
    """The rule set with other limits. Raises UserError for an unknown option or an impossible value."""
    for option, value in changes.items():
        where = f"--set {key}.{option}={value}"
        name, _, path = option.partition(".")
        options: dict[str, Any] = {field.name: getattr(rule_set, field.name) for field in dataclasses.fields(rule_set)}
        if name not in options:
            raise UserError(f"{where}: {key} has no option {name!r}{nearest(name, options)}")
        before = options[name]
        options[name] = _in_language(name, options[name], path, value, where) if name == BY_LANGUAGE or path else value
        try:
            changed = build(type(rule_set), YamlFile(where, None, {}), (), _plain(options))
        except RecipeError as error:
            raise UserError(str(error)) from error
        if name != BY_LANGUAGE and getattr(changed, name) != before and not _bounds(key, name, rule_set, changed):
            raise UserError(f"{where}: {name} limits no signal that this run measured; set it in the recipe and curate")
        rule_set = changed
    mistake = impossible(rule_set)
    if mistake is not None:
        raise UserError(f"{'.'.join((key, *mistake[0]))}: {mistake[1]}")
    return rule_set


def _bounds(key: str, option: str, rule_set: Filter, changed: Filter) -> bool:
    """Whether the option that differs between the two rule sets only bounds signals."""
    if option in getattr(rule_set, "measuring", ()):
        return False
    return changed.rules() != rule_set.rules() or option in limit_options(key, rule_set).values()


def _in_language(name: str, before: Any, path: str, value: Any, where: str) -> dict[str, Any]:
    """The option by language with one more value: a limit in `by_language`, or a value in `min_scores`."""
    if name != BY_LANGUAGE and isinstance(before, Mapping):
        return {**before, path: value}
    language, _, limit = path.partition(".")
    if name != BY_LANGUAGE or not limit:
        raise UserError(f"{where}: expected KEY.by_language.LANGUAGE.LIMIT=VALUE")
    if isinstance(value, list):  # such as stop_words
        raise UserError(f"{where}: {limit} limits no signal that this run measured; set it in the recipe and curate")
    return {**before, language: {**before.get(language, {}), limit: value}}


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as a recipe has them, without dataclasses."""
    return {
        name: dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value
        for name, value in options.items()
    }


def rules_of(sets: RuleSets) -> list[tuple[str, Rule]]:
    """Key and rule of every limit, in the order they are tried."""
    return [(key, rule) for key, rule_set in sets.items() for rule in rule_set.rules()]


def bounds_by_limit(rules: Iterable[tuple[str, Rule]]) -> dict[str, Bounds]:
    """Limit ("<key>.<signal>:<low|high|not_in>") -> its bounds, in the order of the rules; only languages whose bound
    differs from the one for all."""
    by_limit: dict[str, Bounds] = {}
    for key, rule in rules:
        for side, bound in sides(rule).items():
            bounds = by_limit.setdefault(f"{key}.{rule.signal}:{side}", {})
            bounds |= dict.fromkeys(rule.but) | dict.fromkeys(rule.only or (EVERY,), bound)
    return {
        limit: {where: bound for where, bound in bounds.items() if where == EVERY or bound != bounds.get(EVERY)}
        for limit, bounds in by_limit.items()
    }


def bound_for(bounds: Bounds, language: str | None) -> Any:
    """The bound for a language, or (None) for all languages without their own; None if there is none."""
    return bounds.get(language or EVERY, bounds.get(EVERY))


def limit_options(key: str, rule_set: Filter) -> dict[str, str]:
    """Limit -> the numeric option that sets it for all languages, if there is one."""
    general = dataclasses.replace(rule_set, by_language={}) if isinstance(rule_set, ByLanguage) else rule_set
    bounds = bounds_by_limit(rules_of({key: general}))
    options: dict[str, str] = {}
    for field in dataclasses.fields(general):
        value = getattr(general, field.name)
        numeric = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        if not numeric or field.name in getattr(rule_set, "measuring", ()):
            continue
        for other in _other_values(value, bounds):
            try:
                other = typed(type(rule_set), field.name, other, key)
                changed = dataclasses.replace(general, **{field.name: other})
                tried = bounds_by_limit(rules_of({key: changed}))
            except ValueError:  # the rule set refuses this value: try the next
                continue
            # With models by language, each of their languages has the limit for all.
            follows = [
                limit for limit in bounds if {*tried.get(limit, {}).values()} == {other} != {*bounds[limit].values()}
            ]
            options |= dict.fromkeys(follows, field.name)
            if follows:
                break
    return options


def _other_values(value: float | None, bounds: Mapping[str, Bounds]) -> list[float]:
    """Values that differ from the option's; for an unset option, values that differ from the bounds."""
    bounded = [bound[EVERY] for bound in bounds.values() if EVERY in bound] if value is None else [value]
    numbers = [number for number in dict.fromkeys(bounded) if isinstance(number, int | float)]
    return [
        other for number in numbers for other in (number + 1, number // 2 if isinstance(number, int) else number / 2)
    ]
