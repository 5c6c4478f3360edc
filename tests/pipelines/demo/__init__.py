"""Tests of the demonstration crawl."""
