"""Defines the functions of expressions, by the type of value that they take."""
