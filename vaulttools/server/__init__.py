"""The MCP server: tools, notes and prompts of open vaults for assistants. Nothing else in the package imports `mcp`."""
