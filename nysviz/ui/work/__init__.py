"""The work behind the pages: shared results, the gate that heavy work passes, and who waits for it."""
