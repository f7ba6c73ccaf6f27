"""Searches the files of one scope for a pattern, with ripgrep or in this process."""
