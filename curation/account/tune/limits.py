"""Rebuilds the rule sets of a sealed filter stage from the run's recipe, and changes their limits.

Each rule set declares which options bound its signals. Any other option changes what is measured, which needs the text
again.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curation.account.sealed.bounds import recorded, sides
from curation.account.sealed.components import BY_LANGUAGE, components_of, items_before, stored_item
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.core.close_names import nearest
from curation.core.errors import InputError, RecipeError, UserError
from curation.core.filter import Filter, decides, impossible, made
from curation.core.rules import Rule
from curation.core.settings import YamlFile, build, load_yaml

RuleSets = dict[str, Filter]  # by key, in the order they are tried
Changes = dict[str, dict[str, Any]]  # key -> option -> value; for one language: "by_language.de.min_words"
Bounds = dict[str, Any]  # language or EVERY -> bound; None if it is lifted for the language
EVERY = "*"  # all languages without a limit of their own


def parse_changes(settings: Iterable[str]) -> Changes:
    """Parses `KEY.OPTION=VALUE` settings with YAML values. Raises UserError for anything else, and for an option
    that is set twice."""
    changes: Changes = {}
    expected = "KEY.OPTION=VALUE, e.g. gopher_quality.min_words=30"
    for setting in settings:
        name, value = parse_setting(setting, expected)
        key, _, option = name.partition(".")
        if not (key and option):
            raise UserError(f"--set {setting[:80]}: expected {expected}")
        if option in changes.setdefault(key, {}):
            raise UserError(f"--set {setting[:80]}: {name[:80]} is set twice; give one value")
        changes[key][option] = value
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


def rule_sets(run: RunFolder, stage: SealedStage) -> RuleSets:
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
        decided = decides(rule_set, name) or decides(changed, name)
        if name != BY_LANGUAGE and getattr(changed, name) != before and not decided:
            raise UserError(f"{where}: {name} limits no signal that this run measured; set it in the recipe and curate")
        rule_set = changed
    mistake = impossible(rule_set)
    if mistake is not None:
        raise UserError(f"{'.'.join((key, *mistake[0]))}: {mistake[1]}")
    return rule_set


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


def recipe_item(run: RunFolder, stage: SealedStage, after: RuleSets, changed: Changes) -> dict[str, Any]:
    """The stage as run.json has it, with the changed options of its rule sets, in the order in which they are tried.

    Empty if a changed rule set stands in an earlier stage of the chain too, whose signals this one judges again by
    quantiles: there a recipe cannot state numbers.
    """
    item = stored_item(run, stage)
    earlier = items_before(run.record.recipe, item)
    if any(key in other.get(stage.verb.name, {}) for other in earlier for key in changed):
        return {}
    sets = {key: item[stage.verb.name][key] for key in after}
    for key, options in changed.items():
        sets[key] = {**sets[key], **_plain({name: getattr(after[key], name) for name in options})}
    return {**item, stage.verb.name: sets}


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
    """Limit -> the option that sets it for all languages without a limit of their own, if there is one."""
    options: dict[str, str] = {}
    for rule in made(rule_set):
        limit = rule.limit
        if limit is None or rule.only is not None or rule.but:
            continue
        named = {f"{key}.{rule.signal}:{side}": limit.option(side) for side in sides(rule)}
        options |= {name: option for name, option in named.items() if option}
    return options
