"""Reads the structure of Markdown: blocks, headings, running text."""
