"""A crawl that needs no network: the documentation of the installed packages and some written pages, served and fetched
on this machine."""
