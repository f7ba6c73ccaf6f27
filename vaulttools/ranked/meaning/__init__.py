"""Find passages by what they mean, in whatever words or language: the extra `[semantic]`."""
