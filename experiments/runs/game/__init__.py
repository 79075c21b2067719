"""Games on walls: ``fourfold play``."""
