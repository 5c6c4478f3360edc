"""Classifiers of whole texts, such as good against bad: their training, their files, and how good they are."""
