"""Which of these tests a machine can collect."""

from importlib.util import find_spec

# A machine with a card may have the base install alone, and must still be able to collect the other tests.
collect_ignore_glob = [] if find_spec("hydra") else ["test_*.py"]
