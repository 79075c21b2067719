"""Encoders: texts in, vectors out. No clustering here."""
