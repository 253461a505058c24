#!/usr/bin/env python3
"""An array in 100 chunks, reduced by two worker processes of Dask; a worker that dies takes no answer with it.

    on_dask.py          # once through
    on_dask.py --kill   # workers are killed meanwhile, and Dask computes again what was lost
"""
import os
import signal
import sys
import tempfile

import numpy as np
from distributed import Client, LocalCluster

import redhost

CHUNKS, LENGTH = 100, 50_000


def chunk(k):
    """A chunk of the array, made where it is needed."""
    return np.random.default_rng(k).standard_normal(LENGTH).astype("f4")


def part(k):
    """What chunk k comes to, as elements of the whole array."""
    return redhost.partial(chunk(k), "meanvar", first=k * LENGTH)


def merge(parts):
    """Parts of any chunks, as one."""
    return parts[0].merge(*parts[1:])


def kill_a_worker(client):
    """As a machine would that fails."""
    pids = list(client.run(os.getpid).values())
    os.kill(pids[0], signal.SIGKILL)


def main(kill):
    with tempfile.TemporaryDirectory() as folder, LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder) as cluster, Client(cluster) as client:
        parts = client.map(part, range(CHUNKS), retries=5)
        tens = []
        for first in range(0, CHUNKS, 10):
            tens.append(client.submit(merge, parts[first:first + 10], retries=5))
            if kill and first in (20, 60):
                tens[-1].result()
                kill_a_worker(client)
        found = client.submit(merge, tens, retries=5).result().value
    whole = redhost.meanvar(np.concatenate([chunk(k) for k in range(CHUNKS)]))
    print(f"in parts {found}, at once {whole}: {'the same bits' if tuple(found) == tuple(whole) else 'DIFFERENT'}")


if __name__ == "__main__":
    main("--kill" in sys.argv[1:])
