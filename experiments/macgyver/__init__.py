"""The MacGyver data set: its files, how answers to its problems are judged, and how alike its problems are.

Source: Tian et al., "MacGyver: Are Large Language Models Creative Problem Solvers?", NAACL 2024.
"""
