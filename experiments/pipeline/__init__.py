"""From walls to labels and scores: encode, features, Gram matrices, clusters, baselines, red herrings."""
