"""One module for each compared program. Its function `contestant(vault, kept)` installs the program."""
