"""The command line in a process of its own, with an encoder that needs no model.

``python run_with_letters.py [--stall FILE [--after N]] ARGUMENTS``: with ``--stall``, encoding makes FILE and
then waits, the first time or after N times that went well.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from letter_walls import LetterEncoder

from fourfold.experiments.cli import main
from fourfold.experiments.pipeline import run as run_module


class StallingEncoder(LetterEncoder):
    """Says that it has begun, then goes on for a minute."""

    def __init__(self, begun: Path, after: int) -> None:
        super().__init__()
        self.begun, self.after = begun, after

    def encode(self, texts, progress=None):
        if len(self.calls) < self.after:
            return super().encode(texts, progress)
        self.begun.touch()
        time.sleep(60)
        return super().encode(texts, progress)


if __name__ == "__main__":
    words = sys.argv[1:]
    encoder = LetterEncoder()
    if words[0] == "--stall":
        begun, after, words = Path(words[1]), 0, words[2:]
        if words[0] == "--after":
            after, words = int(words[1]), words[2:]
        encoder = StallingEncoder(begun, after)
    run_module.make_encoder = lambda *_: encoder
    code = main(words)
    print("torch" in sys.modules, file=sys.stderr)
    sys.exit(code)
