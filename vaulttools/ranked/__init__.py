"""Ranks the notes that best answer a question in plain words."""
