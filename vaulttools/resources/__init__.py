"""Resolves what a path can name: files, folders, links, URLs, archive members, periodic notes."""
