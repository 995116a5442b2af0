"""What the page "Lift" is made of."""
