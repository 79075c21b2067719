"""Walls, metrics, runs, records and the command line."""
