"""Describes what is asked for: patterns, their regex syntax, and literals of every match."""
