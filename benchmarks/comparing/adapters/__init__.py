"""A module for each program that is compared; each has a function `contestant(vault, kept)`, which installs it."""
