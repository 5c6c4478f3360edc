"""Which settings a branch may change."""

import pytest

from training.config.branches import branch_command, what_helps


@pytest.mark.parametrize(
    ("setting", "may_change"),
    [
        ("config.steps", True),
        ("config.seed", True),
        ("config.precision", True),
        ("config.watch.on_spike", True),
        ("config.schedule", True),
        ("config.objective", True),
        ("config.optimizer.adamw.beta1", True),
        ("config.optimizer", False),
        ("config.model", False),
        ("config.model.decoder.heads", False),
        ("config.model.decoder.vocabulary", False),
        ("config.model.decoder.dropout", True),
        ("config.model.decoder.rope_theta", True),
        ("config.model.decoder.rope_scaling.factor", True),
        ("versions.wsd", True),
        ("data", False),
    ],
)
def test_what_may_change(setting: str, may_change: bool) -> None:
    assert (what_helps(setting) == "") is may_change


def test_the_command() -> None:
    assert branch_command("runs/a@3", "steps=9") == "`winnow train CONFIG steps=9 --from runs/a@3 --output NEW`"
    assert branch_command("s3://bucket/run") == "`winnow train CONFIG --from s3://bucket/run --output NEW`"
