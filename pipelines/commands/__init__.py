"""The commands of `winnow`, one file per group."""
