"""Formulas of a page, put into its markup as TeX before any parser reads it."""
