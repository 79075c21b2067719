"""Walls played as in the show: a guess of four clues, told right or wrong, until lives or guesses run out.

``rules`` keep the score, ``knowledge`` is what the answers to guesses say of the solution; an encoder plays
in ``encoder_player`` and a language model in ``chat_player``. What came of it is in ``record``.
"""
