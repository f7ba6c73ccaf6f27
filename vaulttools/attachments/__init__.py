"""Extracts the text of PDF and DOCX attachments in a limited child process.

What was extracted is kept by content.
"""
