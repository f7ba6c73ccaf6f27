"""Maintains a vault's index, which nominates the files that ripgrep then searches."""
