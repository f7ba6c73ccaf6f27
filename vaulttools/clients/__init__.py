"""Adds the server to the settings of assistants, and takes it out again."""
