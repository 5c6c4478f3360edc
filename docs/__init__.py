"""The guides, and in `builder` what makes a site of them."""
