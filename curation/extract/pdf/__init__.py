"""PDF as text: characters and their places by PDFium, columns, paragraphs and what repeats on every page by us."""
