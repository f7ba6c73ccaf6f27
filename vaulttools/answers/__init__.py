"""Holds what tools share: requests, answers, pages of text, notices and hints."""
