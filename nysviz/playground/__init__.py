"""The playground without a server: its drawing, its JavaScript, and both as one HTML file."""
