"""The text of attachments, PDF and DOCX: extracted in a child process with limits, and kept by content."""
