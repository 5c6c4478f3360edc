"""Vocabulary: documents, rules, stages, reasons, storage and the files of a run. Imports nothing of ours."""
