"""Crawlers whose operators say that what they fetch, or what this name permits, trains language models.

By their operators' own pages, as of November 2026: Common Crawl (commoncrawl.org/ccbot), OpenAI
(platform.openai.com/docs/bots), Anthropic (support.anthropic.com, "Does Anthropic crawl data from the web"; the second
name is its former one), Google and Apple (names in robots.txt only, developers.google.com/search/docs/crawling-indexing
and support.apple.com/119829), Meta (developers.facebook.com/docs/sharing/webmasters/web-crawlers), Amazon
(developer.amazon.com/amazonbot), Ai2 (allenai.org/crawler). ByteDance has no such page; its crawler is listed because
most sites that refuse training name it. Crawlers that only search, or that fetch for a user, are not listed.
"""

TRAINING = (
    "CCBot",
    "GPTBot",
    "ClaudeBot",
    "anthropic-ai",
    "Google-Extended",
    "Applebot-Extended",
    "Meta-ExternalAgent",
    "Amazonbot",
    "AI2Bot",
    "Bytespider",
)
