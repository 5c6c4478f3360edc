"""What a task takes unless something says otherwise."""

from curation.core.needs import MEMORY, Needs


def test_a_task_takes_one_core_and_a_gibibyte() -> None:
    assert Needs() == Needs(num_cpus=1.0, memory=MEMORY, num_gpus=0.0)
    assert MEMORY == 1 << 30
