# SPDX-License-Identifier: Apache-2.0
"""clmove.dask beside dask.array: seconds, and bytes between workers, from Zarr to Zarr, with arrays larger than the workers' memory.

Of each pair the first figure is clmove's, and each figure the least of all rounds.

usage: python dask_bench.py [--mib 640] [--memory 256MiB] [--workers 2] [--rounds 3] [--folder DIR] [--only WORDS]

Every result is compared with the other one's, byte by byte. Needs dask[array], distributed and zarr.
"""

import argparse
import os
import shutil
import tempfile
import time

import clmove.dask
import dask
import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster


def blocks_by_dask(x, block):
    n, c, h, w = x.shape
    split = x.reshape(n, c, h // block, block, w // block, block)
    return split.transpose(0, 3, 5, 1, 2, 4).reshape(n, c * block**2, h // block, w // block)


def space_by_dask(x, block):
    n, c, h, w = x.shape
    split = x.reshape(n, block, block, c // block**2, h, w)
    return split.transpose(0, 3, 4, 1, 5, 2).reshape(n, c // block**2, h * block, w * block)


def cases(mib):
    """Name, shape, chunks, the call of clmove, and that of dask.array. Sources of f32 have `mib` MiB, but for Tile's."""
    n = mib // 16
    image, deep = (n, 4, 1024, 1024), (n, 16, 512, 512)
    move = clmove.dask
    return [
        ("tile rows by 64", (mib * 4096,), mib * 1024, lambda x: move.tile(x, (64, 1)), lambda x: da.tile(x, (64, 1))),
        ("tile short rows by 4096", (mib * 64,), -1, lambda x: move.tile(x, (4096, 1)), lambda x: da.tile(x, (4096, 1))),
        ("permute 0,2,3,1", image, (1, 4, 1024, 1024), lambda x: move.permute(x, (0, 2, 3, 1)), lambda x: x.transpose(0, 2, 3, 1)),
        ("permute 3,2,1,0", image, (n, 4, 64, 64), lambda x: move.permute(x, (3, 2, 1, 0)), lambda x: x.transpose(3, 2, 1, 0)),
        ("space_to_depth 2", image, (1, 4, 1024, 1024), lambda x: move.space_to_depth(x, 2), lambda x: blocks_by_dask(x, 2)),
        ("space_to_depth 2, tiles", image, (4, 4, 512, 512), lambda x: move.space_to_depth(x, 2), lambda x: blocks_by_dask(x, 2)),
        ("space_to_depth 4, cut within blocks", image, (1, 4, 342, 1024), lambda x: move.space_to_depth(x, 4), lambda x: blocks_by_dask(x, 4)),
        ("space_to_depth 2, cut depth", image, (4, 1, 1024, 1024), lambda x: move.space_to_depth(x, 2), lambda x: blocks_by_dask(x, 2)),
        ("depth_to_space 2", deep, (1, 16, 512, 512), lambda x: move.depth_to_space(x, 2), lambda x: space_by_dask(x, 2)),
        ("depth_to_space 2, tiles", deep, (4, 16, 256, 256), lambda x: move.depth_to_space(x, 2), lambda x: space_by_dask(x, 2)),
    ]


def regular(x):
    """Chunks as Zarr wants them: all of a dimension equal but a smaller last one."""
    if all(len({*each[:-1]}) <= 1 and each[-1] <= each[0] for each in x.chunks):
        return x
    return x.rechunk(tuple(max(each) for each in x.chunks))


def used(dask_worker):
    """Bytes that a worker sent to others, and seconds of processors."""
    return dask_worker.transfer_outgoing_bytes_total, time.process_time()


def run(client, make, source, target):
    """Seconds, seconds of the workers' processors, bytes between workers, and chunks."""
    shutil.rmtree(target, ignore_errors=True)
    before = client.run(used)
    begun = time.perf_counter()
    result = regular(make(da.from_zarr(source)))
    result.to_zarr(target, compressors=None)
    seconds = time.perf_counter() - begun
    sent, busy = (sum(after[i] - before[worker][i] for worker, after in client.run(used).items()) for i in (0, 1))
    return seconds, busy, sent, result.npartitions


def same(first, second):
    """The same shape, type and bytes, read a piece at a time."""
    a, b = zarr.open_array(first, mode="r"), zarr.open_array(second, mode="r")
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    step = max(1, a.shape[0] * 2**25 // a.nbytes)
    for at in range(0, a.shape[0], step):
        assert a[at : at + step].tobytes() == b[at : at + step].tobytes(), f"{first} and {second} differ"


def main():
    parser = argparse.ArgumentParser(description="clmove.dask beside dask.array, from Zarr to Zarr")
    parser.add_argument("--mib", type=int, default=640)
    parser.add_argument("--memory", default="256MiB")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    dask.config.set({"array.chunk-size": "16MiB", "array.rechunk.method": "tasks"})
    folder = tempfile.mkdtemp(dir=given.folder)
    ours, other, source = (os.path.join(folder, name) for name in ("clmove.zarr", "dask.zarr", "source.zarr"))
    cluster = LocalCluster(n_workers=given.workers, threads_per_worker=1, memory_limit=given.memory, host="127.0.0.1",
                           dashboard_address="127.0.0.1:0", local_directory=folder)
    try:
        with cluster, Client(cluster) as client:
            print(f"{given.mib} MiB, {given.workers} workers of {given.memory}, dask {dask.__version__}, zarr {zarr.__version__}\n")
            print("| case | seconds | seconds of processors | MiB between workers | chunks |")
            print("|---|---|---|---|---|", flush=True)
            for name, shape, chunks, by_clmove, by_dask in cases(given.mib):
                if given.only not in name:
                    continue
                shutil.rmtree(source, ignore_errors=True)
                noise = da.random.default_rng(1).integers(0, 2**32, shape, dtype="u4", chunks=chunks).view("f4")
                noise.to_zarr(source, compressors=None)
                rows = [(run(client, by_clmove, source, ours), run(client, by_dask, source, other)) for _ in range(given.rounds)]
                same(ours, other)
                pairs = list(zip(*(map(min, zip(*each)) for each in zip(*rows))))
                row = [name, *(f"{mine:.1f} / {theirs:.1f}" for mine, theirs in pairs[:2]),
                       "{0:.0f} / {1:.0f}".format(*(sent / 2**20 for sent in pairs[2])), "{0} / {1}".format(*pairs[3])]  # fmt: skip
                print(f"| {' | '.join(row)} |", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
