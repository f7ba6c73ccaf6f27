"""Reads the properties of a note, their values and types."""
