"""Folds text, so that spellings of the same compare equal."""
