"""The paper's two tasks for a language model: grouping a wall, naming the connections of its groups."""
