"""Runs of a language model: ``fourfold llm``."""
