"""Dumps of MediaWiki: their pages, and wikitext as text."""
