"""``python -m fourfold``: the command line."""

import sys

from fourfold.experiments.cli import main

if __name__ == "__main__":
    sys.exit(main())
