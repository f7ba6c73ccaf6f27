"""Values that every other folder uses: limits, paths, the budget of a call, spelling, rendering."""
