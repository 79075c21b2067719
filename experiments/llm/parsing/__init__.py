"""Where replies of language models are read: text, groups, connections, lists and verdicts."""
