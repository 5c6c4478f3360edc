"""A run and its stages, opened: what everything that answers a question about a run goes through."""

from curation.account.run.run import Run as Run
