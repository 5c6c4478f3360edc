"""Whether our rule sets decide as datatrove's do: both run on the same texts with the same word splitter."""
