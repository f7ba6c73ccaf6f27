"""What is asked for: patterns, the syntax of their regexes, and the literals that every match contains."""
