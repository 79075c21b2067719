"""Starts a sweep's jobs through Hydra's multirun and the launcher plugin that a configuration names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...conf.launcher_schema import JobConfig
from ...conf.schema import register
from ...conf.words import plain_word
from .sweep_job import SweepJob
from .sweep_kind import Config


def launch(
    job: SweepJob[Config], numbers: Sequence[int], launcher_words: Sequence[str], folder: Path
) -> None:
    """Have the jobs of these numbers done, and return when all have ended.

    Parameters
    ----------
    job
        The task function.
    numbers
        Of the jobs, at least one.
    launcher_words
        The overrides that choose the launcher.
    folder
        Where Hydra and the launcher may write.

    Raises
    ------
    Exception
        What the launcher raises where it cannot start a job, or where a job's process ends before its time;
        Hydra's launchers then know no more of the others, which is why jobs leave word of their runs.

    """
    from hydra import initialize_config_module
    from hydra.core.global_hydra import GlobalHydra

    register(JobConfig)
    words = [*launcher_words, plain_word(f"folder={folder}", JobConfig), f"job={','.join(map(str, numbers))}"]
    with initialize_config_module("fourfold.conf", job_name="fourfold", version_base="1.3"):
        hydra = GlobalHydra.instance().hydra
        if hydra is None:
            raise RuntimeError("Hydra's own state was cleared while it began: start one sweep at a time")
        hydra.multirun("job", job, words, with_log_configuration=False)
