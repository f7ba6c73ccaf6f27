"""Reads links, and finds their targets and the notes that they connect."""
