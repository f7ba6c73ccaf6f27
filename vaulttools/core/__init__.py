"""Holds values that every other folder uses: limits, paths, budget, spelling, rendering."""
