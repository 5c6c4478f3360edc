"""A run from which documents were taken down, for tests of the engine."""

from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run
