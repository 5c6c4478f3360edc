"""The model of a run and its stages; every question about a run goes through it."""

from curation.account.run.run import Run as Run
