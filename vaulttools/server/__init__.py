"""Serves vaults to assistants, programs and people; only this package imports `mcp`."""
