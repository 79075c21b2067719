"""Walls played as in the show: four clues are guessed, right or wrong, until lives or guesses run out.

``rules`` keep the score; the engine plays in ``engine_player``, by what verdicts on guesses say of the
solution, and a language model in ``chat_player``. What came of it is in ``record``.
"""
