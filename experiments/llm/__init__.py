"""A client for language models: what is asked, who answers, and how replies are kept.

``chat`` says what a model is asked and what it answers; ``endpoint`` asks an OpenAI-compatible server and
``local`` a model on this machine; ``parsing`` reads replies.
"""
