"""Defines search patterns, their regex syntax, and the literals that every match contains."""
