"""The parts of `benchmarks/compare.py`: vaults, contestants, tasks, and the report of the results."""
