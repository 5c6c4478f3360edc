"""The demonstration crawl: a small web on this machine, and a crawler that archives it."""
