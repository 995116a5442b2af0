"""Timings, never part of the test run."""
