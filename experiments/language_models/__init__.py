"""Language models on the paper's two tasks: grouping a wall's clues, naming the connections of its groups.

``chat`` says what a model is asked and what it answers; ``endpoint`` asks an OpenAI-compatible server and
``local`` a model on this machine. Templates make the questions, readers read the answers. Nothing here
clusters.
"""
