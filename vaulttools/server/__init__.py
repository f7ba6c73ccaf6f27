"""Serves vaults to assistants, programs and people; nothing else in the package imports `mcp`."""
