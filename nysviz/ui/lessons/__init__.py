"""What the page "Lessons" is made of."""
