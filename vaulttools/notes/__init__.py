"""Reads what a note is and says, and which notes link where."""
