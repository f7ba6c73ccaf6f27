"""Holds helpers for all other folders: limits, paths, budget, spelling, rendering."""
