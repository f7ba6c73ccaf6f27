"""Adds the server to the settings of assistants, and removes it."""
