"""Parsers in a child process, so that a page that hangs or crashes costs only itself."""
