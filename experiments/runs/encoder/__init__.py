"""Runs of an encoder: ``fourfold run``."""
