"""Changes to a page's markup before a parser reads it, so that what browsers show survives the parser."""
