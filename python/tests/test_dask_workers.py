# SPDX-License-Identifier: Apache-2.0
"""clmove.dask on two workers, which are processes of their own, with arrays larger than their memory, from Zarr to Zarr."""

import os
import shutil

import clmove
import numpy as np
import oracle
import pytest
from oracle import noise, same

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr")
import clmove.dask as moved
import dask.array as da

LIMIT = 192 * 2**20  # bytes of memory of a worker, of which Python and its packages take half
SHAPE = (4, 512, 512)  # u4: 4 MiB
IMAGES, FEWER = 100, 52  # more than both workers may have, and more than one


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    settings = {"array.chunk-size": "8 MiB", "array.rechunk.method": "tasks", "distributed.worker.multiprocessing-method": "spawn"}
    folder = str(tmp_path_factory.mktemp("workers"))
    with dask.config.set(settings), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit=LIMIT, host="127.0.0.1", dashboard_address="127.0.0.1:0", local_directory=folder
    ) as cluster, distributed.Client(cluster) as opened:
        opened.run(lambda: os.environ.update(CLMOVE_DEVICE="host"))
        assert len(opened.scheduler_info()["workers"]) == 2
        yield opened


def image(number):
    return np.random.default_rng(number).integers(0, 2**32, SHAPE, dtype=np.uint32)


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """A file of noise that is larger than the memory of both workers."""
    place = str(tmp_path_factory.mktemp("images") / "x.zarr")
    file = zarr.create_array(place, shape=(IMAGES, *SHAPE), chunks=(2, *SHAPE), dtype="u4", compressors=None)
    for at in range(0, IMAGES, 2):
        file[at : at + 2] = [image(at), image(at + 1)]
    assert file.nbytes > 2 * LIMIT
    yield place
    shutil.rmtree(place)


def received(client):
    """Bytes that workers have sent each other so far."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def stored(client, y, place):
    """The file with the result, and the bytes between workers. No worker may have run out of memory and been started again."""
    before, workers = received(client), client.run(os.getpid)
    y.to_zarr(place, compressors=None)
    assert client.run(os.getpid) == workers
    return zarr.open_array(place, mode="r"), received(client) - before


def check(file, count, expected, axis):
    """Image by image, so that this process holds no more of it."""
    assert file.dtype == "u4" and file.shape[axis] == count
    for number in range(count):
        part = file[(slice(None),) * axis + (slice(number, number + 1),)]
        same(np.ascontiguousarray(part), np.ascontiguousarray(expected(image(number)[None])))


CALLS = {
    "space_to_depth": (
        lambda x: moved.space_to_depth(x, 2),
        lambda x: oracle.space_to_depth(x, 2, "blocks_first"),
        0,
        IMAGES,
    ),
    "depth_to_space": (
        lambda x: moved.depth_to_space(x, 2, "depth_first"),
        lambda x: oracle.depth_to_space(x, 2, "depth_first"),
        0,
        FEWER,
    ),
    "permute": (
        lambda x: moved.permute(x, (2, 3, 0, 1)),
        lambda x: x.transpose(2, 3, 0, 1),
        2,
        IMAGES,
    ),
    "rearrange": (
        lambda x: moved.rearrange(x, "n c (h a) (w b) -> n (h w) (a b c)", a=16, b=16),
        lambda x: x.reshape(1, 4, 32, 16, 32, 16).transpose(0, 2, 4, 3, 5, 1).reshape(1, 1024, 1024),
        0,
        FEWER,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_larger_than_memory(client, images, tmp_path, name):
    call, expected, axis, count = CALLS[name]
    y = call(da.from_zarr(images)[:count])
    assert y.nbytes > LIMIT
    file, moved_bytes = stored(client, y, str(tmp_path / "y.zarr"))
    check(file, count, expected, axis)
    assert moved_bytes < 2**20  # each task reads its own chunk from the file
    shutil.rmtree(tmp_path / "y.zarr")


def test_result_larger_than_memory(client, tmp_path):
    x = noise((1000, 1024), "u4")
    x_file = str(tmp_path / "x.zarr")
    da.from_array(x, chunks=(250, 1024)).to_zarr(x_file, compute=True)
    y = moved.tile(da.from_zarr(x_file), (20, 6))
    assert y.nbytes > 2 * LIMIT
    file, moved_bytes = stored(client, y, str(tmp_path / "y.zarr"))
    assert file.shape == (20000, 6144)
    rows = oracle.tile(x, (1, 6))
    for at in range(0, 20000, 1000):
        same(file[at : at + 1000], rows)
    # Of the six repeats in one chunk, at most one worker needs each from the other one, and only once.
    assert moved_bytes <= rows.nbytes * 1.1
    shutil.rmtree(tmp_path / "y.zarr")


def test_cut_anew(client):
    """Edges within blocks: no byte is sent twice, and the result is that of dask.array's own reshape and transposition."""
    x = noise((4, 4, 510, 256), "u4")
    source = client.persist(da.from_array(x, chunks=(4, 4, 100, 256)))
    distributed.wait(source)
    before = received(client)
    y = client.persist(moved.rearrange(source, "n c (h a) w -> n (a c) h w", a=3))
    distributed.wait(y)
    assert received(client) - before <= x.nbytes
    assert y.chunks[2] == (33, 34, 33, 33, 34, 3)
    same(y.compute(), source.reshape(4, 4, 170, 3, 256).transpose(0, 3, 1, 2, 4).reshape(4, 12, 170, 256).compute())


def test_errors_of_workers(client):
    y = moved.permute(da.zeros((4, 4), chunks=2), (1, 0), device="no such device")
    with pytest.raises(clmove.NoDeviceError, match='no OpenCL device matches "no such device"'):
        y.compute()


def test_a_device_for_each_worker(tmp_path):
    """As doc/dask.md says: the environment of a worker names its device, which it opens for its first task."""
    x = noise((8, 4, 64, 64), "f4")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", local_directory=str(tmp_path)
    ) as cluster, distributed.Client(cluster) as client:
        first, second = client.scheduler_info()["workers"]
        client.run(lambda: os.environ.update(CLMOVE_DEVICE="host"), workers=[first])
        client.run(lambda: os.environ.update(CLMOVE_DEVICE="cpu"), workers=[second])
        for worker, mode in ((first, "blocks_first"), (second, "depth_first")):
            y = moved.space_to_depth(da.from_array(x, chunks=(1, 4, 64, 64)), 2, mode)
            same(client.compute(y, workers=[worker], allow_other_workers=False).result(), oracle.space_to_depth(x, 2, mode))

        def opened():
            from clmove import _device

            return [(each.type, each.kernels_run > 0) for each in _device._named.values()]

        assert client.run(opened) == {first: [("host", False)], second: [("cpu", True)]}
