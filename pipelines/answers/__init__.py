"""The forms of what commands print with `--json`, as JSON Schemas."""
