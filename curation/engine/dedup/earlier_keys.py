"""The sealed key files of earlier runs, as the tasks of a dedup stage find them."""

from curation.core.commits import GROUP_UNITS, group_path, read_group
from curation.core.manifest import Manifest
from curation.core.threads import map_threads
from curation.engine.dedup.layout import Earlier
from curation.engine.recipe.earlier_runs import EarlierStage
from curation.engine.run.sent_files import SentFiles


def place_of(stage: EarlierStage, first: int) -> Earlier:
    """The stage as tasks know it, its first shard numbered `first`."""
    manifest = stage.manifest
    assert manifest.dedup is not None, "it is a dedup stage"
    return Earlier(stage.folder, first, len(manifest.shards), stage.methods, manifest.dedup["exchange"]["vectors"])


def sent_keys(folder: str, manifest: Manifest) -> SentFiles:
    """Where the keys of a sealed dedup stage are: in files of single shards, or of groups of shards."""
    assert manifest.dedup is not None, "it is a dedup stage"
    step, files = (manifest.dedup["exchange"][name] for name in ("key_step", "key_files"))
    groups = map_threads(lambda number: read_group(group_path(folder, number, step)), range(-(-files // GROUP_UNITS)))
    return SentFiles.of(folder, step, "keys", [commit for group in groups for commit in group])
