"""Answers the reading commands of Obsidian's own command line, without the app."""
