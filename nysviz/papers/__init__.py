"""The published figures and tables, each as runs that anybody can repeat."""
