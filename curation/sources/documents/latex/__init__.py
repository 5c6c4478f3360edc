"""Papers in TeX as plain text: tokens, own macros, and what each command stands for. No file is ever opened here."""
