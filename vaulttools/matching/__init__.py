"""Finds patterns: runs ripgrep, and searches one scope."""
