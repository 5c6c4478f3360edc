"""Whether the files of a run are what its commits and manifests say."""
