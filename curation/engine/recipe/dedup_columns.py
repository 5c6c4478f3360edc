"""What the fields mean of the struct column that a dedup method adds to its stage."""

MEANINGS = {  # of the fields
    "duplicate_of": "number (shard << 32 | row) of the document that is kept instead; null for one that is kept",
    "copies": "documents that the kept one stands for, itself included: a weight; the same on all of them",
    "cluster": "number of the cluster's first document: the same on all documents linked with each other, else null",
    "spans": "passages that stand elsewhere too, UTF-8 bytes of the text: `cut_spans` cuts them",
    "units": "lines, paragraphs or windows of the text that were compared",
    "repeated": "of these, how many stand in another document that is kept",
    "text_bytes": "UTF-8 bytes of the text",
    "member": "true where another document has the key: one before it, or one of the filters read",
}
