# SPDX-License-Identifier: Apache-2.0
"""Progress of long runs, and how they are ended."""

import io
import os
import signal
import subprocess
import sys
import threading

import clmove
import numpy as np
import pytest
from oracle import noise, same


@pytest.fixture(scope="module")
def large():
    """200 MiB of source and destination, which are four pieces."""
    return noise((5000, 20000), "u1")


def test_progress(device, large):
    plan = device.plan(clmove.Map.like(large).permute((1, 0)))
    out, calls = np.zeros(plan.map.shape, "u1"), []
    assert plan.run(large, out, progress=lambda *at: calls.append(at)) is out
    assert (out == large.T).all()
    assert len(calls) > 1 and calls == sorted(set(calls)) and calls[-1][0] == 2 * large.nbytes
    assert {total for _, total in calls} == {2 * large.nbytes}
    small = noise((4, 6), "f4")
    calls.clear()
    same(device.plan(clmove.Map.like(small).tile((2, 1))).run(small, progress=lambda *at: calls.append(at)), np.tile(small, (2, 1)))
    assert calls == [(3 * small.nbytes, 3 * small.nbytes)]
    with pytest.raises(TypeError, match="progress is a int: pass a function of two integers, done and total"):
        plan.run(large, out, progress=3)


def test_progress_of_strided_arrays(device):
    x = noise((40, 60, 80), "f4")
    calls = []
    plan = device.plan(clmove.Map((20, 30, 40), 4).permute((2, 0, 1)))
    same(plan.run(x[::2, 1::2, ::-2], progress=lambda *at: calls.append(at)), x[::2, 1::2, ::-2].transpose(2, 0, 1).copy())
    assert calls == [(2 * 20 * 30 * 40 * 4,) * 2]


def test_what_progress_raises(device, large):
    plan, out, calls = device.plan(clmove.Map.like(large).permute((1, 0))), np.zeros(large.shape[::-1], "u1"), []

    class Enough(Exception):
        pass

    def stop(done, total):
        calls.append(done)
        raise Enough("after one piece")

    with pytest.raises(Enough, match="after one piece"):
        plan.run(large, out, progress=stop)
    assert len(calls) == 1
    assert out.any() and not (out == large.T).all()  # a part of it is written
    with pytest.raises(TypeError, match="positional argument"):
        plan.run(large, out, progress=lambda: None)
    same(plan.run(large, out), large.T.copy())


def test_progress_with_tqdm(device, large):
    tqdm = pytest.importorskip("tqdm")
    text = io.StringIO()
    plan = device.plan(clmove.Map.like(large).permute((1, 0)))
    with tqdm.tqdm(total=2 * large.nbytes, unit="B", unit_scale=True, file=text) as bar:
        plan.run(large, progress=lambda done, total: bar.update(done - bar.n))
    assert bar.n == 2 * large.nbytes and "100%" in text.getvalue()


INTERRUPTED = """
import clmove, numpy, os, signal, sys, threading
def ring(*_):
    raise TimeoutError("too long")
signal.signal(signal.SIGALRM, ring)
x = numpy.ones((24000, 48000), "u1")  # of some 100 ms: signals are looked at each 20 ms
out = numpy.zeros((48000, 24000), "u1")
plan = clmove.Device().plan(clmove.Map.like(x).permute((1, 0)))
plan.run(x, out)
for milliseconds in range(1, 50):  # the signal may come when the run has not begun, or at its end
    out[...] = 0
    why = None
    try:
        if sys.argv[1] == "alarm":
            signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
        else:
            thread = threading.Timer(milliseconds / 1000, os.kill, (os.getpid(), signal.SIGINT))
            thread.start()
        plan.run(x, out)
        if sys.argv[1] != "alarm":
            thread.join()
    except (KeyboardInterrupt, TimeoutError) as raised:
        why = raised
    if why and 0 < out.sum(dtype="u8") < out.size:
        print(type(why).__name__)
        break
plan.run(x, out)
print(bool((out == 1).all()))
"""


@pytest.mark.parametrize("how, error", [("interrupt", "KeyboardInterrupt"), ("alarm", "TimeoutError")])
@pytest.mark.parametrize("selector", ["host", "cpu"])
def test_signals_end_long_runs(selector, how, error):
    """In the middle: a part of the destination is written. The next run is whole."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, how], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "CLMOVE_DEVICE": selector, "CLMOVE_THREADS": "1"})
    assert (done.stdout, done.stderr, done.returncode) == (f"{error}\nTrue\n", "", 0)


def test_other_threads_are_not_interrupted(large):
    """Signals are the main thread's."""
    plan = clmove.Device("host").plan(clmove.Map.like(large).permute((1, 0)))
    rung, got = [], []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(threading.current_thread() is threading.main_thread()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.01)
        thread = threading.Thread(target=lambda: got.extend(plan.run(large) for _ in range(3)))
        thread.start()
        thread.join()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung and all(rung) and len(got) == 3
    same(got[-1], large.T.copy())


@pytest.mark.parametrize("which", ["source", "out"])
def test_arrays_are_not_resized_meanwhile(device, which):
    """Not even by refcheck=False, with which NumPy takes memory away from those who use it."""
    x, out = np.zeros(1 << 20, "u1"), np.zeros(1 << 20, "u1")

    def resize(done, total):
        {"source": x, "out": out}[which].resize(5, refcheck=False)

    with pytest.raises(ValueError, match="cannot resize an array"):
        device.plan(clmove.Map.like(x)).run(x, out, progress=resize)
    {"source": x, "out": out}[which].resize(5, refcheck=False)
