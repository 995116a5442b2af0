"""Controls and places of the pages: the only part that knows Streamlit."""
