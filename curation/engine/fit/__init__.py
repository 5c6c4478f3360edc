"""Runs fit stages: sizes of groups, drawing or counting over all workers, and the asset that is learned."""
