"""What the pages are made of: the only part that knows Streamlit."""
