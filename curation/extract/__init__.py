"""From the bytes of a page to its main text, under counted limits and behind a net of time and memory."""
