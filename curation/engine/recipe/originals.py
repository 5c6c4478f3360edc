"""Which stages of a plan redact, and what their originals forbid: a stage that would read texts which are gone.

    privacy: {originals: until_sealed}

Once the last redacting stage of a chain is sealed, the stages before it lose their originals. `keep`, the default,
leaves them: whoever reads the run's folder then finds in earlier stages, and in dropped rows, what was redacted later.
"""

from collections.abc import Iterable, Sequence

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import ORIGINALS, Manifest
from curation.core.protocols import Redacting
from curation.core.shard_files import ShardFiles
from curation.engine.recipe.assets import located
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import JOINED, Recipe
from curation.models.redaction.beside import redacting

UNTIL_SEALED = "until_sealed"


def last_redacting(recipe: Recipe, nodes: Sequence[Node]) -> set[int]:
    """The nodes after which originals go: those that redact, with no such node after them. Empty where the recipe keeps
    originals. Raises RecipeError where they are to go and nothing redacts."""
    if recipe.privacy.originals != UNTIL_SEALED:
        return set()
    own = {node.index for node in nodes if redacting(node.components)}
    if not own:
        hint = "no stage of the recipe redacts; add `- rewrite: {pii: {}}` or {secrets: {}}, or remove this line"
        raise recipe.document.error(("privacy", "originals"), hint)
    before = set[int]()
    for node in reversed(nodes):
        if node.index in own or node.index in before:
            before |= set(node.upstream)
    return own - before


def learnt_before(nodes: Sequence[Node], node: Node) -> list[str]:
    """The names of the fits that learnt from originals of the node: from stages before it."""
    before = _up_to(nodes, node) - {node.index}
    return [fit.name for fit in nodes[: node.index] if fit.verb.learns and before & set(fit.upstream)]


def rewriters_up_to(nodes: Sequence[Node], node: Node) -> dict[str, tuple[Redacting, ...]]:
    """What redacts the documents of each source up to the node, in order."""
    up_to = _up_to(nodes, node)
    own = [earlier for earlier in nodes if earlier.index in up_to]
    return {
        first.chain: tuple(
            rewriter
            for one in own
            if one.chain in (first.chain, JOINED)
            for key, component in one.components
            if redacting(((key, component),))  # others may name a fit, which has no file before it is made
            for rewriter in redacting(((key, located(component)),))
        )
        for first in own
        if first.verb.begins
    }


def _up_to(nodes: Sequence[Node], node: Node) -> set[int]:
    """The numbers of the node and of those before it."""
    before = {node.index}
    for earlier in reversed(nodes[: node.index]):
        if any(earlier.index in nodes[index].upstream for index in before):
            before.add(earlier.index)
    return before


def refuse_without_originals(node: Node, upstream: Iterable[Manifest]) -> None:
    """Raises InputError if the node would read a stage whose originals are gone. Stages that follow the redacting one
    read its text, which is there."""
    for manifest in upstream:
        gone = manifest.originals
        if gone is not None and gone["address"] != manifest.address:
            raise InputError(
                f"{node.name} has to run again, because the recipe or an earlier run has changed, but the "
                f"originals of {manifest.name} are gone since {gone['stage']} was sealed (privacy: {{originals: "
                "until_sealed}); curate the recipe into a new folder, from the archives. To erase here what was taken "
                "down in an earlier run, use `winnow takedown RUN --from EARLIER`"
            )


def has_originals(stage: ShardFiles) -> bool:
    """Whether the sealed redacting stage, or a stage before it (one may have been made again), still has originals."""
    stages = (stage, *stages_before(stage))
    started = storage.exists(storage.join(stage.folder, ORIGINALS))
    return started or any(one.manifest.originals is None for one in stages)


def stages_before(stage: ShardFiles) -> list[ShardFiles]:
    """The stages before it, each once."""
    seen = dict[str, ShardFiles]()
    waiting = list(stage.above)
    while waiting:
        earlier = waiting.pop()
        if earlier.folder not in seen:
            seen[earlier.folder] = earlier
            waiting += earlier.above
    return list(seen.values())
