"""HTML as bytes: tags, comments and character references, without a tree."""
