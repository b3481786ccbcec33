# SPDX-License-Identifier: Apache-2.0
"""clmove.array_api against NumPy's functions of the same names, and by the standard's own tests where they are at hand."""

import os
import re
import subprocess
import sys

import clmove
import numpy as np
import pytest
from clmove import array_api as xp
from oracle import noise, same

X = noise((2, 1, 3, 4), "f4")
VIEWS = {"dense": X, "fortran": X.copy(order="F"), "stepped": noise((4, 1, 6, 8), "f4")[::2, :, ::-2, 1::2],
         "broadcast": np.broadcast_to(X[:1, :, :, :1], X.shape), "empty": noise((2, 1, 0, 4), "f4")}
CALLS = {
    "permute_dims": (lambda x, d: xp.permute_dims(x, (2, 0, -1, 1), device=d), lambda x: x.transpose(2, 0, 3, 1)),
    "permute_dims axes=": (lambda x, d: xp.permute_dims(x, axes=(0, 1, 3, 2), device=d), lambda x: x.transpose(0, 1, 3, 2)),
    "reshape": (lambda x, d: xp.reshape(x, (x.shape[2] * 2, 4), device=d), lambda x: x.reshape(x.shape[2] * 2, 4)),
    "reshape -1": (lambda x, d: xp.reshape(x, (4, -1), copy=True, device=d), lambda x: x.reshape(4, x.size // 4)),
    "reshape int": (lambda x, d: xp.reshape(x, -1, device=d), lambda x: x.reshape(-1)),
    "squeeze": (lambda x, d: xp.squeeze(x, 1, device=d), lambda x: x.squeeze(1)),
    "squeeze of two": (lambda x, d: xp.squeeze(x[:, :, :1, :1][:1], (1, -4), device=d), lambda x: x[:, :, :1, :1][:1].squeeze((0, 1))),
    "expand_dims": (lambda x, d: xp.expand_dims(x, device=d), lambda x: x[None]),
    "expand_dims axis=": (lambda x, d: xp.expand_dims(x, axis=-1, device=d), lambda x: x[..., None]),
    "expand_dims of two": (lambda x, d: xp.expand_dims(x, (0, -3), device=d), lambda x: np.expand_dims(x, (0, -3))),
    "moveaxis": (lambda x, d: xp.moveaxis(x, 0, -1, device=d), lambda x: np.moveaxis(x, 0, -1)),
    "moveaxis of two": (lambda x, d: xp.moveaxis(x, (3, 0), (1, -4), device=d), lambda x: np.moveaxis(x, (3, 0), (1, -4))),
    "flip": (lambda x, d: xp.flip(x, device=d), lambda x: np.flip(x)),
    "flip axis=": (lambda x, d: xp.flip(x, axis=-2, device=d), lambda x: np.flip(x, -2)),
    "flip of two": (lambda x, d: xp.flip(x, axis=(0, 3), device=d), lambda x: np.flip(x, (0, 3))),
    "tile": (lambda x, d: xp.tile(x, (2, 1, 3), device=d), lambda x: np.tile(x, (2, 1, 3))),
    "repeat": (lambda x, d: xp.repeat(x, 3, device=d), lambda x: np.repeat(x, 3)),
    "repeat axis=": (lambda x, d: xp.repeat(x, 2, axis=-1, device=d), lambda x: np.repeat(x, 2, -1)),
    "repeat the first": (lambda x, d: xp.repeat(x, np.array([2], "u1"), axis=0, device=d), lambda x: np.repeat(x, 2, 0)),
    "repeat of equals": (lambda x, d: xp.repeat(x, np.array([3, 3]), axis=0, device=d), lambda x: np.repeat(x, [3, 3], 0)),
    "repeat not": (lambda x, d: xp.repeat(x, 0, axis=2, device=d), lambda x: np.repeat(x, 0, 2)),
    "broadcast_to": (lambda x, d: xp.broadcast_to(x, (3, 2, 5, *x.shape[2:]), device=d), lambda x: np.broadcast_to(x, (3, 2, 5, *x.shape[2:]))),
    "broadcast_arrays": (lambda x, d: xp.broadcast_arrays(x[:, :, :1], X[:1], device=d)[0], lambda x: np.broadcast_arrays(x[:, :, :1], X[:1])[0]),
    "unstack": (lambda x, d: xp.unstack(x, device=d)[1], lambda x: x[1]),
    "unstack axis=": (lambda x, d: xp.unstack(x, axis=-1, device=d)[3], lambda x: x[..., 3]),
}


def test_every_function_has_a_case():
    assert {name.split()[0] for name in CALLS} == {*xp.__all__}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(device, name, view):
    if view == "empty" and name in ("reshape", "reshape -1", "squeeze of two", "broadcast_arrays"):
        return  # these need elements
    call, numpys = CALLS[name]
    x = VIEWS[view]
    before = x.copy()
    for _ in range(2):  # once with a plan that is kept
        y = call(x, device)
        same(y, np.ascontiguousarray(numpys(x)).reshape(numpys(x).shape))
        assert y.flags.writeable and y.flags.c_contiguous and not np.shares_memory(x, y)
    same(x.copy(), before)


def test_no_dimensions(device):
    x = np.array(7, "i2")
    same(xp.permute_dims(x, (), device=device), x)
    same(xp.flip(x, device=device), x)
    same(xp.squeeze(x, (), device=device), x)
    same(xp.expand_dims(x, device=device), x[None])
    same(xp.repeat(x, 3, device=device), np.repeat(x, 3))
    same(xp.broadcast_to(x, (2, 3), device=device), np.full((2, 3), 7, "i2"))
    same(xp.tile(x, (2, 2), device=device), np.full((2, 2), 7, "i2"))
    same(xp.reshape(x, (1, 1), device=device), x.reshape(1, 1))
    same(xp.reshape(x[None], (), device=device), x)
    same(xp.repeat(noise(0, "u1"), (), device=device), noise(0, "u1"))
    assert xp.broadcast_arrays(device=device) == [] and xp.unstack(noise((0, 3), "u1"), device=device) == ()


def test_out(device):
    x = noise((3, 4), "f4").T
    out = np.empty((2, 6), "f4")
    assert xp.reshape(x, (2, 6), out=out, device=device) is out
    same(out, x.reshape(2, 6))
    turned = np.empty((6, 2), "f4").T
    assert xp.reshape(x, (2, 6), out=turned, device=device) is turned
    same(turned.copy(), x.reshape(2, 6))
    to = np.empty((4, 6), "f4")
    assert xp.repeat(x, 2, axis=1, out=to, device=device) is to
    same(to, np.repeat(x, 2, 1))
    assert xp.flip(x, axis=0, out=to[:, ::2], device=device).base is to
    same(to[:, ::2].copy(), np.flip(x, 0))
    with pytest.raises(clmove.MemoryRangeError, match="overlap"):
        xp.flip(to, axis=0, out=to, device=device)


@pytest.mark.parametrize("call, error, text", [
    (lambda: xp.permute_dims(X, (0, 1)), clmove.ShapeError, "."),
    (lambda: xp.reshape(X, (5, 5)), clmove.ShapeError, "."),
    (lambda: xp.reshape(X, (5, -1)), clmove.ShapeError, "."),
    (lambda: xp.reshape(X, (24,), copy=False), clmove.ArgumentError, r"copy is False, and clmove always moves: pass None or True"),
    (lambda: xp.reshape(X, "24"), TypeError, "shape is '24'"),
    (lambda: xp.squeeze(X, 0), clmove.ShapeError, "dimension 0 is 2: only dimensions of 1"),
    (lambda: xp.squeeze(X, (1, -3)), clmove.ShapeError, r"axis is \(1, -3\), which names an axis twice"),
    (lambda: xp.squeeze(X, 4), clmove.AxisError, "axis has 4, and the array 4 dimensions: pass -4 to 3"),
    (lambda: xp.expand_dims(X, 5), clmove.AxisError, "axis has 5, and the result 5 dimensions: pass -5 to 4"),
    (lambda: xp.expand_dims(X, None), TypeError, "axis is None"),
    (lambda: xp.moveaxis(X, (0, 1), 0), clmove.ShapeError, "source has 2 axes, and destination 1: pass as many"),
    (lambda: xp.moveaxis(X, 0, 7), clmove.ShapeError, "destination has 7"),
    (lambda: xp.flip(X, axis="0"), TypeError, "axis is '0'"),
    (lambda: xp.flip(X, axis=-5), IndexError, "axis has -5"),
    (lambda: xp.flip(np.array(1), axis=0), clmove.ShapeError, "there is no axis to pass"),
    (lambda: xp.repeat(X, -1), clmove.ShapeError, "repeats has -1: a repeat is at least 0"),
    (lambda: xp.repeat(X, (1, 2, 3), axis=0), clmove.ShapeError, "repeats has 3 integers for 2 elements: pass one integer, or 2"),
    (lambda: xp.repeat(X, (1, 2), axis=0), clmove.UnsupportedError, "repeats has 1 and 2, which no single map expresses: pass one integer, or call numpy.repeat"),
    (lambda: xp.repeat(X, 1.5), TypeError, "repeats is 1.5"),
    (lambda: xp.repeat(X, 2**62), clmove.SizeError, "."),
    (lambda: xp.repeat(X, 2, axis=1.0), TypeError, "axis is 1.0"),
    (lambda: xp.broadcast_to(X, (3, 1, 3, 4)), clmove.ShapeError, "."),
    (lambda: xp.broadcast_arrays(X, np.zeros(3)), clmove.ShapeError, r"\(2, 1, 3, 4\) and \(3,\) do not broadcast"),
    (lambda: xp.unstack(X, axis=4), clmove.ShapeError, "axis has 4"),
    (lambda: xp.unstack(np.array(1)), clmove.ShapeError, "there is no axis to pass"),
    (lambda: xp.flip([1, 2]), TypeError, "a list is no array"),
    (lambda: xp.flip(np.array([None])), clmove.ElementError, "references to Python objects"),
    (lambda: xp.flip(X, device="no such device"), clmove.NoDeviceError, "matches"),
])
def test_refused(call, error, text):
    for _ in range(2):
        with pytest.raises(error, match=text):
            call()


def test_any_views(device):
    """Arrays of any strides, reshaped and repeated, which no map may express in one step."""
    random = np.random.default_rng(3)
    for _ in range(300 if device.type == "host" else 30):
        x = noise(random.integers(1, 5, random.integers(1, 5)) * 2, random.choice(["u1", "f4", "V3"]), int(random.integers(1 << 30)))
        x = x[tuple(slice(None, None, each) for each in random.choice([1, -1, 2], x.ndim))].transpose(random.permutation(x.ndim))
        shape = tuple(int(each) for each in random.permutation([each for dim in x.shape for each in (dim, 1)]))
        same(xp.reshape(x, shape, device=device), x.reshape(shape))
        axis = None if random.random() < 0.3 else int(random.integers(-x.ndim, x.ndim))
        same(xp.repeat(x, 2, axis=axis, device=device), np.repeat(x, 2, axis))
        axes = tuple(int(each) for each in random.permutation(x.ndim)[: random.integers(0, x.ndim + 1)])
        same(xp.flip(x, axis=axes, device=device), np.ascontiguousarray(np.flip(x, axes)))


@pytest.mark.parametrize("selector", ["host", "cpu"])
def test_standard(selector, tmp_path):
    """data-apis/array-api-tests, whose folder CLMOVE_ARRAY_API_TESTS names."""
    folder = os.environ.get("CLMOVE_ARRAY_API_TESTS")
    if not folder:
        pytest.skip("CLMOVE_ARRAY_API_TESTS names no copy of data-apis/array-api-tests")
    calls = tmp_path / "calls"
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": "array_api_module", "ARRAY_API_TESTS_VERSION": "2024.12", "CLMOVE_DEVICE": selector,
                   "ARRAY_API_TESTS_CALLS": str(calls), "PYTHONPATH": os.path.dirname(os.path.abspath(__file__)), "PYTHONDONTWRITEBYTECODE": "1"}
    files = ["array_api_tests/test_manipulation_functions.py", "array_api_tests/test_data_type_functions.py"]
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--hypothesis-disable-deadline", "--max-examples",
                           "200" if selector == "host" else "50",
                           *files, "-k", " or ".join(f"test_{name}" for name in xp.__all__)],
                          cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(re.search(r"\b(\d+) passed", done.stdout)[1]) >= len(xp.__all__), done.stdout[-2000:]
    counts = dict(line.rsplit(" ", 1) for line in calls.read_text().splitlines())
    assert {*xp.__all__} <= {*counts}, counts
