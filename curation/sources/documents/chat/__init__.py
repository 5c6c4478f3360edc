"""Logs of chats, and who says what in them."""
