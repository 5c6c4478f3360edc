"""Documents as their publishers give them: papers, articles, encyclopedias, books, posts, mail, chats, subtitles, code
and PDF files, one source a module, and what only they use.

Nothing else imports this room; the catalog finds its sources by their names.
"""
