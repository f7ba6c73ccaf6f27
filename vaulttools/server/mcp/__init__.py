"""Speaks MCP: the tools, notes as resources, one prompt."""
