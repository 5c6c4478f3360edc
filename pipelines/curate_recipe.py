"""Runs a recipe that is read into a folder: in this process, on a Ray of its own, or on a cluster."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from curation.account.run import Run

if TYPE_CHECKING:  # slow to import, and a finished run does not need them
    from curation.core.progress import Progress
    from curation.engine.executor.executor import Executor
    from curation.engine.recipe.recipe import Recipe


def curate_recipe(
    parsed: "Recipe",
    folder: str,
    ray_address: str | None,
    cpus: int | None,
    executor: "Executor | None",
    on_progress: "Callable[[Progress], None]",
) -> Run:
    """The run, as `pipelines.api.curate` has it."""
    from curation.engine.driver import prepare, reports
    from pipelines import settling

    settling.finish_cut_off(folder)
    prepared = prepare.prepare(parsed, folder)
    if prepared.finished:  # without the seconds that importing Ray takes
        reports.report_sealed(prepared.state.manifests.values(), on_progress)
        settling.settle(folder, on_progress)
        return Run.open(folder)
    settling.refuse_mixed(prepared)
    from curation.engine.driver.runner import run_prepared

    if executor is None:
        from cluster.nodes import check_nodes
        from cluster.package import asset_paths, keyed
        from curation.engine.executor.on_ray import OnRay

        executor = OnRay(ray_address, cpus, lambda: check_nodes(asset_paths(parsed), folder, keyed(parsed)))
    from pipelines.report.report import kept_in_step

    with kept_in_step(folder), executor:
        run_prepared(prepared, executor, on_progress)
    settling.settle(folder, on_progress)
    return Run.open(folder)
