"""Marks tests/ as the root of the tests, which puts what they share (`shared_data`, `naive`) on the path."""
