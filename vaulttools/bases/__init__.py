"""Obsidian Bases without the app: the expression language, filters, formulas, views and summaries."""
