"""What source code is made of: languages, comments, counts."""
