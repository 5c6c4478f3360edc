"""Tests of curation/engine/takedown."""
