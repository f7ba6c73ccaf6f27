"""Answers as the Local REST API plugin of Obsidian does, read-only."""
