"""Questions in plain words: the notes that answer best, ranked."""
