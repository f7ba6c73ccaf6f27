"""Finds passages by meaning, in any words or language: the extra `[semantic]`."""
