"""Numba's simulator of a CUDA card, made fast enough for tests.

It runs each thread of a block as one of Python, and asks them in turn whether they wait at a
barrier. Here they wait at one of Python's own, and blocks are small: of 4 threads instead of 32, so
that small tables, too, have more candidates than a task, more samples than a tile and more entries
than a list. The source of the kernels is the same.
"""

import threading
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np


@contextmanager
def small_blocks():
    """Run kernels in small blocks, quickly."""
    from numba.cuda.simulator import kernel as simulator

    from mrflearn.dependence import _card_kernels

    def synchronise(thread):
        try:
            thread._manager.barrier.wait(timeout=60)
        except threading.BrokenBarrierError:
            raise RuntimeError("another thread of the block failed") from None

    def run(manager, grid_point, *args):
        threads = [
            simulator.BlockThread(lambda: manager._f(*args), manager, grid_point, place, False)
            for place in np.ndindex(*manager._block_dim)
        ]
        manager.barrier = threading.Barrier(len(threads))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for thread in threads:
            if thread.exception:
                raise thread.exception[0].with_traceback(thread.exception[1])

    fail = simulator.BlockThread.run

    def run_thread(thread):
        fail(thread)
        if thread.exception:
            thread._manager.barrier.abort()

    sizes = {"LANES": 4, "TILE": 16, "WORTH_COMPARING": 6, "ROOM": 26, "SHARED": 32, "BINS": 8}
    sizes["IN_REGISTERS"] = 3
    sizes |= {name: np.uint64(4 * at) for at, name in enumerate(("SECOND", "THIRD", "FOURTH"), 1)}
    with ExitStack() as patched:
        for name, value in sizes.items():
            patched.enter_context(patch.object(_card_kernels, name, value))
        patched.enter_context(patch.object(simulator.BlockThread, "syncthreads", synchronise))
        patched.enter_context(patch.object(simulator.BlockThread, "run", run_thread))
        patched.enter_context(patch.object(simulator.BlockManager, "run", run))
        yield
