# SPDX-License-Identifier: Apache-2.0
"""Devices, plans and maps as objects; threads; forks; what is kept."""

import gc
import os
import subprocess
import sys
import threading
import time
import timeit

import clmove
import numpy as np
import oracle
import pytest
from oracle import noise, same


def test_devices():
    host, cpu = clmove.Device("host"), clmove.Device("cpu")
    assert (host.type, cpu.type) == ("host", "cpu") and cpu.name and host.name
    assert repr(host) == "Device('host')"
    x = noise((2, 3, 4, 6), "f4")
    for device, counts in ((host, (0, 1)), (cpu, (1, 0))):
        clmove.tile(x, (2, 1, 1, 1), device=device)
        before = (device.kernels_run, device.host_runs)
        clmove.tile(x, (2, 1, 1, 1), device=device)  # the first may have tested a program
        assert (device.kernels_run - before[0], device.host_runs - before[1]) == counts


def test_several_devices():
    """One run is cut over all devices of a list."""
    several = clmove.Device([0, "host"])
    assert several.type == "several" and " + " in several.name and repr(several) == "Device('0,host')"
    assert clmove.Device(("0", "host")).type == clmove.Device("0,host").type == "several"
    assert clmove.Device(["host"]).type == "host"
    x = noise((2048, 1500), "f4")
    plan = several.plan(clmove.Map.like(x).permute((1, 0)))
    assert "several  " in plan.explain()
    heard, threads = [], set()

    def progress(done, total):
        threads.add(threading.get_ident())
        heard.append((done, total))

    for _ in range(50):  # the first of them may take all pieces before the other begins
        same(plan.run(x, progress=progress), x.T)
        if several.kernels_run > 0 and several.host_runs > 0:
            break
    assert several.kernels_run > 0 and several.host_runs > 0
    assert heard[-1] == (2 * x.nbytes, 2 * x.nbytes) and threads == {threading.get_ident()}

    def stop(done, total):
        raise KeyError(done)

    with pytest.raises(KeyError):
        plan.run(x, progress=stop)
    same(clmove.tile(x[:3], (2, 1), device=["host", 0]), np.tile(x[:3], (2, 1)))
    same(clmove.permute(x, (1, 0), device="0,host"), x.T)


def test_chains(device):
    x = noise((2, 3, 4, 6), "f4")
    made = clmove.Map.like(x).space_to_depth(2, "depth_first").tile((2, 1, 1, 3)).permute((0, 2, 3, 1)).reshape((4, -1, 12))
    expected = oracle.tile(oracle.space_to_depth(x, 2, "depth_first"), (2, 1, 1, 3)).transpose(0, 2, 3, 1).reshape(4, -1, 12)
    assert made.shape == expected.shape and made.source_shape == x.shape and made.itemsize == 4
    plan = device.plan(made)
    y = np.empty_like(expected)
    assert plan.run(x, out=y) is y
    same(y, expected)
    same(plan.run(x.copy(order="F")), expected)
    same(plan.run(x.view("i4")), expected.view("i4"))
    assert plan.map is made and plan.device is device and plan.variant
    text = plan.explain().split("\n")
    assert [line.split(":")[0] for line in text[:4]] == ["contiguous", "variant", "bytes", "expect"]
    small = clmove.Map((3, 1), 2)
    same(device.plan(small.broadcast_to((2, 3, 4))).run(x[0, :, :1, 0].view("u2")[:, :1]),
         np.broadcast_to(x[0, :, :1, 0].view("u2")[:, :1], (2, 3, 4)))
    assert small.shape == (3, 1)  # as it was


def test_forced_plans(device):
    x, strided = noise((40, 70), "f4"), noise((80, 70), "f4")[::2]
    made = clmove.Map.like(x).permute((1, 0))
    for forced in ({"variant": "gather"}, {"variant": "transpose"}, {"index_bits": 64}, {"tuning": {"segment_bytes": 4096, "near_bytes": 0}},
                   {"tuning": "segment_bytes=4096"}, {"tuning": {}}, {"variant": "gather", "index_bits": 64, "tuning": "near_bytes=64"}):
        plan = device.plan(made, **forced)
        assert plan.variant == forced.get("variant", plan.variant)
        same(plan.run(x), x.T.copy())
        same(plan.run(strided), strided.T.copy())  # by a plan of its own
    with pytest.raises(clmove.UnsupportedError, match="copy"):
        device.plan(made, variant="copy")


def test_threads_share_plans(device):
    x = noise((4, 16, 64, 64), "u1")
    plan, expected = device.plan(clmove.Map.like(x).space_to_depth(2)), oracle.space_to_depth(x, 2, "blocks_first")
    wrong = []

    def work():
        try:
            for _ in range(20):
                same(plan.run(x), expected)
                same(clmove.space_to_depth(x, 2, device=device), expected)
        except BaseException as why:
            wrong.append(why)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_other_threads_run_meanwhile(device):
    """Python counts while bytes move: without the GIL."""
    x = noise((1024, 1024), "u1")
    out = np.empty((16 * 1024, 1024), "u1")
    clmove.tile(x, (16, 1), out=out, device=device)
    inside, ticks, end = threading.Event(), [], threading.Event()

    def tick():
        while not end.is_set():
            if inside.is_set():
                ticks.append(time.perf_counter())
            time.sleep(0)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody is asked to give the GIL up
    thread = threading.Thread(target=tick)
    thread.start()
    try:
        inside.set()
        for _ in range(1000):  # on a machine at work, until the other thread's turn comes
            begun = time.perf_counter()
            clmove.tile(x, (16, 1), out=out, device=device)
            ended = time.perf_counter()
            if any(begun < each < ended for each in list(ticks)):
                break
    finally:
        end.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert any(begun < each < ended for each in ticks)


def test_what_is_kept():
    device = clmove.Device("host")
    for width in range(1, 700):
        clmove.tile(np.zeros((1, width), "u1"), (2, 1), device=device)
    assert len(device._kept) == 512
    before = device.host_runs
    clmove.tile(np.zeros((1, 699), "u1"), (2, 1), device=device)
    clmove.tile(np.zeros((1, 1), "u1"), (2, 1), device=device)  # which was forgotten
    assert device.host_runs == before + 2
    plan = device.plan(clmove.Map((1, 3), 1))
    del device
    gc.collect()
    same(plan.run(noise((1, 3), "u1")), noise((1, 3), "u1"))


def run(program, **variables):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]  # 3.12 warns of each fork beside threads
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **variables})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_environment():
    program = "import clmove, numpy; d = clmove._device.find_device(None); clmove.tile(numpy.zeros(3), 2); print(d.type, d.host_runs)"
    assert run(program, CLMOVE_DEVICE="host") == "host 1"
    assert run(program, CLMOVE_DEVICE="cpu").split()[0] == "cpu"
    told = "import clmove\ntry: clmove.Device('cpu')\nexcept clmove.NoDeviceError as e: print(e)\nd = clmove.Device(); print(d.type); print(d.fallback)"
    for line in run(told, CLMOVE_OPENCL_LIBRARY="none.so", CLMOVE_DEVICE="").replace("host\n", "").split("\n"):
        assert "there is no OpenCL loader" in line


@pytest.mark.parametrize("selector", ["host", "cpu"])
def test_forks(selector):
    """The child of a process that moved something moves by devices of its own, or says why not. Nothing hangs."""
    program = f"""
import clmove, numpy, os
x = numpy.arange(1 << 20, dtype="u1").reshape(1024, 1024)
device = clmove.Device("{selector}")
plan = device.plan(clmove.Map.like(x).tile((1, 2)))
plan.run(x), clmove.tile(x, (1, 2), device="{selector}")
child = os.fork()
if not child:
    for call in (lambda: plan.run(x), lambda: device.type, lambda: clmove.tile(x, (1, 2), device=device)):
        try:
            call()
            os._exit(1)
        except clmove.NoDeviceError as why:
            assert "forked after" in str(why), why
    assert (clmove.tile(x, (1, 2), device="host") == numpy.tile(x, (1, 2))).all()
    if "{selector}" == "cpu":
        try:
            clmove.Device("cpu")
            os._exit(2)
        except clmove.NoDeviceError as why:
            assert "spawn" in str(why)
    del plan, device
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert run(program) == "0"


def test_forks_after_a_list():
    """auto lists OpenCL's devices. In the child it means the host, and an OpenCL device is refused."""
    program = """
import clmove, numpy, os
x = numpy.arange(24, dtype="u1").reshape(4, 6)
clmove.tile(x, 2)
child = os.fork()
if not child:
    assert (clmove.tile(x, 2) == numpy.tile(x, 2)).all()
    assert clmove.Device().type == "host" and "forked" in clmove.Device().fallback
    try:
        clmove.Device("cpu")
    except clmove.NoDeviceError as why:
        os._exit("spawn" not in str(why))
    os._exit(2)
print(os.waitpid(child, 0)[1])
"""
    assert run(program, CLMOVE_DEVICE="") == "0"


def test_first_device_after_a_fork():
    program = """
import clmove, numpy, os
x = numpy.arange(24, dtype="u1").reshape(4, 6)
clmove.tile(x, 2, device="host")
child = os.fork()
if not child:
    os._exit(int((clmove.tile(x, 2, device="cpu") != numpy.tile(x, 2)).any()))
print(os.waitpid(child, 0)[1])
"""
    assert run(program) == "0"


def test_small_calls_cost_little():
    """At most 5 us more than the plan itself, as the least of many."""
    x, device = np.zeros((1, 1, 4, 6), "f4"), clmove.Device("host")
    y = clmove.tile(x, (2, 1, 1, 2), device=device)
    plan = device.plan(clmove.Map.like(x).tile((2, 1, 1, 2)))._core
    call = min(timeit.repeat(lambda: clmove.tile(x, (2, 1, 1, 2), device=device), number=200, repeat=50)) / 200
    bare = min(timeit.repeat(lambda: plan.run(x, y), number=200, repeat=50)) / 200
    assert call - bare < 5e-6


def test_the_end_of_the_process():
    """With devices open and threads about, Python ends in silence."""
    for selector in ("host", "cpu"):
        run(f"import clmove, numpy; a = clmove.tile(numpy.zeros(1 << 20), 2, device='{selector}'); p = clmove.Device('{selector}').plan(clmove.Map((1,), 1))")
