"""Obsidian's search language: reading a query, saying it in words, answering it."""
