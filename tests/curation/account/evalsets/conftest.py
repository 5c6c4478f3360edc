"""A node that can hold the fit, in runs without Ray."""

import pytest

from curation.engine.run import runner
from curation.fit.evalsets import Evalsets
from tests.curation.engine.conftest import ran  # noqa: F401  (a fixture)


@pytest.fixture
def node(ran: object, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(runner, "alive_nodes", lambda: [{"Resources": {"CPU": 1, "memory": Evalsets.memory}}])
