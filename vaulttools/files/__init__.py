"""Decides which files a call may see, and reads them."""
