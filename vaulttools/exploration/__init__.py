"""Holds what the exploration tools share: counting, clusters, rows, closing lines."""
