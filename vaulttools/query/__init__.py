"""Reads, explains and answers queries in Obsidian's search language."""
