"""Implements the command line: its commands, options, help and completion."""
