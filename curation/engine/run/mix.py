"""Runs the mix stage: the driver itself writes a small index over the packs of this run and of others."""

from curation.core import storage
from curation.engine.recipe.mix_checks import other_packs
from curation.tokens.manifests import INDEX
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.mixing.streams import Packs


def build_mix(mix: Mix, packs: Packs, folder: str) -> dict[str, object]:
    """Writes the index of the mix into its stage's folder and returns it, for the manifest.

    `packs` are those of this run, by their folder's name. Raises UserError for what cannot be mixed.
    """
    index = mix_index(mix, packs, folder.rstrip("/").rpartition("/")[0])
    storage.write_bytes(storage.join(folder, INDEX), index_bytes(index))
    return index


def mix_index(mix: Mix, packs: Packs, run: str) -> dict[str, object]:
    """The index that `build_mix` writes in the folder `run`; raises the same errors, and writes nothing."""
    runs = {name: [(pack.folder, pack.section) for pack in others] for name, others in other_packs(mix.runs).items()}
    return mix.build(packs, folder=run, runs=runs)
