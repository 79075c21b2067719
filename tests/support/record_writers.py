"""Processes that write a record at the same time as others, or that are killed while they write."""

import time

import numpy as np
from made_records import made_labels, made_record

from fourfold.experiments.runs import store
from fourfold.experiments.runs.encoder.files import write_record

INERTIA = np.zeros((2, 2))


def write_when(out, number, go):
    """Write a record once ``go`` is set."""
    go.wait()
    write_record(out, made_record(platform=str(number)), made_labels(), INERTIA)


def write_slowly(out, writing):
    """Set ``writing`` in the middle of writing a record, and go on for a minute."""

    def stall(file):
        writing.set()
        time.sleep(60)

    store.to_disk = stall
    write_record(out, made_record(), made_labels(), INERTIA)
