"""Serves vaults over MCP; nothing else in the package imports `mcp`."""
