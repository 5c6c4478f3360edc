"""Quality classifiers: speed beside python-fasttext, and how well they tell prose from raw web pages."""
