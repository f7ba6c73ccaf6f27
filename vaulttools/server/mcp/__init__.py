"""Speaks MCP: the tools, notes as resources, and prompts."""
