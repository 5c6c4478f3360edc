"""Files of subtitles as plain text."""
