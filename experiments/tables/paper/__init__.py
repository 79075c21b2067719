"""The published numbers, as data files, and how the paper made them.

Source: S. Alavi Naeini, R. Saqur, M. Saeidi, J. Giorgi, B. Taati, "Large Language Models are Fixated by Red
Herrings: Exploring Creative Problem Solving and Einstellung Effect with the Only Connect Wall Dataset",
NeurIPS 2023, Datasets and Benchmarks. All values are on the 494 walls of the test split, with the mean and
the population standard deviation over 16 runs.
"""
