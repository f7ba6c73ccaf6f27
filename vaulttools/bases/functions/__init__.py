"""The functions of expressions, by the type of value that they work on."""
