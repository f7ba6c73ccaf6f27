"""The parts of `benchmarks/compare.py`: vaults, contestants, tasks, and what is printed of the results."""
