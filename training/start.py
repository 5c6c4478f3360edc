"""Begins and ends a training in every process of its group: what is checked and claimed before, and told after it.

Ray Train calls `train` through `training.job`, and without Ray `training.__main__` does.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from threading import Event

import torch

from curation.core import storage
from curation.core.lease import Claim
from curation.core.run_lock import check_claim, only_run
from training.branch import find_branch, prepare_run
from training.checkpoint import run_record
from training.config.run import TrainConfig
from training.ending import RowsSkippedError
from training.health.nodes import refuse_bad_node
from training.loop import Loop
from training.metrics.records import Record
from training.parallel.mesh import RefusedError, worker_group
from training.preflight import beyond_memory, check_alike, check_initial, check_layout, check_memory, tell_costs


def train(
    config: TrainConfig,
    data: str,
    output: str,
    *,
    branch_from: str | None = None,
    claim: Claim | None = None,
    on_record: Callable[[Record], None] = lambda record: None,
    on_checkpoint: Callable[[str, int], None] = lambda path, step: None,
    asked: Event | None = None,
    in_danger: Callable[[], bool] = lambda: False,
) -> Record:
    """Trains to the end, from the newest complete checkpoint in `output` if there is one, else from the one of another
    run that `branch_from` names (see `training.branch`); returns result.json.

    Every process of the group calls it. `claim` is the caller's on `output`; without one the first process holds it.
    `on_record` is called in the first process with each line of metrics.jsonl, `on_checkpoint` in every process with
    each checkpoint once it is complete. A finished run is not trained again. Once `asked` is set in a process, all end
    after a step. `in_danger` is asked in every process where a step is logged: True for a checkpoint at once.

    Raises RefusedError, in every process, and writes failure.json, if config, data, output and the number of processes
    do not fit together, no checkpoint is whole, rows of the data are damaged, or the loss is not finite; ValueError in
    the first while another run holds `output`, StageError if another has taken it over, and StoppedError, in every
    process, if it was asked to end.
    """
    folder = storage.absolute(output)
    with worker_group(config.parallel) as worker, ExitStack() as stack:
        try:
            branch = worker.gather(worker.agreed(lambda: find_branch(folder, branch_from) if worker.first else None))[0]
            prepared = worker.agreed(lambda: prepare_run(config, data, worker.world_size, branch))
            config = prepared.config
            costs = worker.agreed(lambda: check_layout(config, worker.world_size))
            worker.agreed(lambda: check_memory(config, worker.world_size))
            worker.agreed(lambda: refuse_bad_node(folder))
            worker.agreed(lambda: check_initial(config, folder, prepared.data) if worker.first and not branch else None)
            check_alike(config, worker)
            worker.agreed(lambda: run_record.refuse_other_run(folder, config, prepared.fingerprint))
            if result := worker.gather(run_record.finished(folder))[0]:
                return result
            if worker.first:
                claim = claim or stack.enter_context(only_run(folder))
                check_claim(folder, claim)
                run_record.claim(folder, config, prepared.fingerprint, data, more=prepared.recorded)
                tell_costs(config, costs, worker.layout)
            worker.wait()
            tells = (on_record, on_checkpoint, asked or Event(), in_danger)
            while True:
                loop = Loop(prepared, folder, worker, claim if worker.first else None, *tells)
                with closing(loop), suppress(RowsSkippedError):
                    loop.all_steps()
                    return loop.finish(data)
        except torch.OutOfMemoryError as error:
            raise MemoryError(beyond_memory(config, worker, str(error))) from error
        except RefusedError as error:
            if worker.first and claim:
                run_record.write_failure(folder, str(error))
            raise
