"""Reads links, finds what they name, and which notes they join."""
