"""Extracts the text of PDF and DOCX attachments in a limited child process.

Extracted texts are cached by content.
"""
