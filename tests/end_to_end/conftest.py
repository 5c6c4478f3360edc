"""A run to take documents down from, for the tests of this folder that need no killing."""

from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run
