"""A run to take documents down from, for tests of the engine."""

from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run
