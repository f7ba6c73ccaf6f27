"""Computes Obsidian Bases without the app: expressions, filters, formulas, views and summaries."""
