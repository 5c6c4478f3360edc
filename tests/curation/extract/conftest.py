"""Whole runs of a cascade, in the test's own process."""

from tests.curation.engine.conftest import ran as ran
