"""Where a pattern is found: ripgrep, its processes, and the search of one scope."""
