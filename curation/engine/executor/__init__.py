"""Where the units of a run's steps are run: `Inline` in this process, `OnRay` on Ray, which only files here know."""
