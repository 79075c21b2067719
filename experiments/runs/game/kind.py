"""What lists, comparisons and repetitions know of games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kinds import Kind
from .record import LAYOUT, PlayRecord

if TYPE_CHECKING:
    from ...tables.sheet import Sheet
    from ...terminal.progress import ProgressBars
    from .repeat import GameRepetition


class GameKind(Kind[PlayRecord]):
    """Games of ``fourfold play``."""

    name = "games"
    plural = "of games"
    layout = LAYOUT
    place = 2

    def title(self, record: PlayRecord) -> str:
        """The player's."""
        return record.title

    def extra(self, record: PlayRecord) -> dict[str, Any]:
        """Walls solved and groups found by the number of guesses, and how games ended."""
        return {
            "player": record.player,
            "rules": record.rules,
            "solved": record.solved,
            "groups": record.groups,
            "ended": record.ended,
        }

    def sheet(self, records: Sequence[tuple[Path, PlayRecord]], title: str) -> Sheet:
        """Walls solved and groups found, by the number of guesses."""
        from ...tables.game_sheet import play_sheet

        sheet = play_sheet(records)
        return replace(sheet, title=f"{title}. {sheet.title}")

    def settings(self, record: PlayRecord) -> dict[str, Any]:
        """The player's settings and the rules."""
        return super().settings(record) | record.rules | {"order": record.order}

    def repeat(
        self, folder: Path, bars: ProgressBars, walls: str | None, out: Path | None, cache: str | None
    ) -> GameRepetition:
        """Play the games again."""
        from .repeat import repeat_games

        return repeat_games(folder, bars, walls, out, cache)


KIND = GameKind()
