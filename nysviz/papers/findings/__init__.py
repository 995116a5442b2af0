"""Five findings from the recorded runs: their numbers, the page that says them, and its tables."""
