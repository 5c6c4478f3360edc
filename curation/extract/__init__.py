"""From a page's bytes to its main text, with counted limits and a safety net of time and memory limits."""
