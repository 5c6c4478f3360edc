"""The deduplication stage as steps over sealed files: keys, collide, fetch, verify, components, elect, attach."""
