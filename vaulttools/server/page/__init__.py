"""Shows a vault to people: the pages below `/ui/`."""
