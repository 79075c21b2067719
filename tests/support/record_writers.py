"""Processes that write a record at the same time as others, or that are killed while they write."""

import time

import numpy as np
from made_records import made_labels, made_record

from fourfold.experiments.runs import store as record_store

INERTIA = np.zeros((2, 2))


def write_when(out, number, go):
    """Write a record once ``go`` is set."""
    go.wait()
    record_store.write_record(out, made_record(platform=str(number)), made_labels(), INERTIA)


def write_slowly(out, writing):
    """Set ``writing`` in the middle of writing a record, and go on for a minute."""

    def stall(file):
        writing.set()
        time.sleep(60)

    record_store.to_disk = stall
    record_store.write_record(out, made_record(), made_labels(), INERTIA)
