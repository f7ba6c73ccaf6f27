"""The command line: its commands, options, help and completion."""
