"""Runs of ``fourfold macgyver solve``: their record, and their repetition."""
