"""Renders Obsidian's Markdown to HTML that is safe to show."""
