"""Resolves what a path can name besides a file or folder of the vault."""
