"""Queries: Obsidian's search language and questions in any words, each read, said in words, and answered."""
