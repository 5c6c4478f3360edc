"""Pages as blocks of text: a scanner, what it measures of each block, and which blocks are main text."""
