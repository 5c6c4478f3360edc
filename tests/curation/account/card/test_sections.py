"""How the data was made: the recipe can be run again, tokens and mixture are in tables, hashes whole."""

import dataclasses

import yaml

from curation.account.card.sections import chosen, made
from curation.account.run import Run
from curation.core.manifest import plain
from curation.engine.recipe.recipe import parse


def test_the_recipe_in_the_card_is_the_run_s(carded: str) -> None:
    lines = "\n".join(made(Run.open(carded).card()).values())
    recipe = lines.split("```yaml\n")[1].split("\n```")[0]
    assert list(yaml.safe_load(recipe)) == ["version", "name", "shards", "sources", "joined"]
    again = plain(parse(recipe, "again.yaml").resolved())
    assert again == Run.open(carded).card().recipe


def test_a_fence_longer_than_any_in_the_recipe(carded: str) -> None:
    found = Run.open(carded).card()
    changed = dataclasses.replace(found, recipe={**found.recipe, "name": "a ```` b"})
    lines = made(changed)["recipe"].splitlines()
    assert "`````yaml" in lines
    assert lines.count("`````") == 1


def test_addresses_and_hashes(carded: str) -> None:
    found = Run.open(carded).card()
    lines = "\n".join(made(found).values())
    assert all(stage.address in lines and stage.folder in lines for stage in found.stages)
    assert found.packings[0].digest in lines
    assert all(one.listing in lines for one in found.inputs)


def test_edits_and_stages_without_drops(untokenized: str) -> None:
    lines = "\n".join(chosen(Run.open(untokenized).card()).values()).splitlines()
    assert any(line.startswith("| `web-unicode` | `unicode.") for line in lines)
    assert not any(line.startswith("| `web-unicode` | `gopher") for line in lines)
