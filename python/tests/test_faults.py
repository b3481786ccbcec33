# SPDX-License-Identifier: Apache-2.0
"""Drivers that fail: each call of OpenCL fails in turn, below clmove and below PyOpenCL. The right bytes, or an exception."""

import os
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("pyopencl")
LAYER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "layer")

JOURNEY = """
import ctypes, sys
import clmove, numpy as np, pyopencl as cl, pyopencl.array as cl_array

class Control(ctypes.Structure):
    _fields_ = [("arm", ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_uint, ctypes.c_int32, ctypes.c_bool)),
                ("fired", ctypes.CFUNCTYPE(ctypes.c_uint)), ("disarm", ctypes.CFUNCTYPE(None))]

faults = Control.in_dll(ctypes.CDLL(sys.argv[1]), "faults_control")
device = next(each for platform in cl.get_platforms() for each in platform.get_devices() if each.type & cl.device_type.CPU)
queue = cl.CommandQueue(cl.Context([device]))
x = np.random.default_rng(1).integers(0, 256, (2, 3, 8, 12), dtype="u1")
y = x.transpose(0, 2, 3, 1)
order = (0, 2, 3, 1)
here = cl_array.to_device(queue, x)

def on_queue():
    plan = clmove.Device.on(queue).plan(clmove.Map.like(x).permute(order))
    out = cl_array.empty(queue, y.shape, "u1")
    plan.enqueue(queue, here, out, wait_for=[cl.enqueue_marker(queue)]).wait()
    return plan.run(here).get()

def of_its_own():
    plan = clmove.Device("cpu").plan(clmove.Map.like(x).permute(order))
    calls = []
    got = plan.run(x, progress=lambda *at: calls.append(at))
    assert calls
    return plan.run(x[:, :, ::-1], out=got)[:, ::-1]

assert (on_queue() == y).all() and (of_its_own() == y).all()
failed = right = 0
for function in sys.argv[2:]:
    for nth in (1, 2, 3):
        for journey in (on_queue, of_its_own):
            faults.arm(function.encode(), nth, -5, False)
            try:
                assert (journey() == y).all(), (function, nth)
                right += 1
            except (clmove.Error, cl.Error, MemoryError):
                failed += 1
            fired = faults.fired()
            faults.disarm()
        if not fired:
            break
assert (on_queue() == y).all() and (of_its_own() == y).all()
print(f"{failed} failed, {right} right")
"""


@pytest.fixture(scope="module")
def layer(tmp_path_factory):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler for the layer")
    made = str(tmp_path_factory.mktemp("layer") / "layer.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", made, os.path.join(LAYER, "faults.c"), os.path.join(LAYER, "entry.c"), "-lpthread"],
                   check=True)
    return made


def test_each_call_fails(layer):
    with open(os.path.join(LAYER, "faults.c"), encoding="utf-8") as file:
        text = file.read()
    functions = sorted(set(re.findall(r"^(?:PASS|CREATE|ENQUEUE)\((cl\w+)", text, flags=re.M) + re.findall(r'fault\("(cl\w+)"\)', text)))
    assert len(functions) > 10
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", JOURNEY, layer, *functions], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "OPENCL_LAYERS": layer})
    assert done.returncode == 0, done.stdout + done.stderr
    failed, right = map(int, re.fullmatch(r"(\d+) failed, (\d+) right\n", done.stdout).groups())
    assert failed > 10 and right > 10
