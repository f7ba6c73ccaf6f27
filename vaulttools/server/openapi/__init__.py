"""Answers calls of tools by plain HTTP, and describes them as OpenAPI."""
