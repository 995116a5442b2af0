"""The playground: landmarks put down by hand, in the browser."""
