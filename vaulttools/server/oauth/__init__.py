"""Lets hosted assistants sign in by OAuth 2.1, by the parts of the MCP SDK."""
