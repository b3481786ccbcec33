# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own samples of its operators (OpInfo), and its tensors as sources: equal bytes."""

from math import prod

import clmove
import numpy as np
import pytest
from clmove import array_api
from oracle import noise, same

torch = pytest.importorskip("torch", reason="torch is not installed")
try:
    torch.zeros(1).numpy()
except RuntimeError:
    pytest.skip(f"torch {torch.__version__} knows no NumPy {np.__version__}", allow_module_level=True)
try:
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError as why:
    pytest.skip(f"torch {torch.__version__} has no OpInfo here: {why}", allow_module_level=True)

TYPES = [torch.uint8, torch.bool, torch.float16, torch.float32, torch.int64, torch.complex64, torch.complex128]


def images(x, move):
    """pixel_shuffle and its inverse take any dimensions in front of [C, H, W]: here they are one."""
    y = move(x.reshape(prod(x.shape[:-3]), *x.shape[-3:]))
    return y.reshape(*x.shape[:-3], *y.shape[1:])


def as_tuple(arguments):
    return tuple(arguments[0]) if len(arguments) == 1 and isinstance(arguments[0], (tuple, list, torch.Size)) else tuple(arguments)


OURS = {
    "nn.functional.pixel_unshuffle": lambda d, x, block: images(x, lambda each: clmove.space_to_depth(each, block, "depth_first", device=d)),
    "nn.functional.pixel_shuffle": lambda d, x, block: images(x, lambda each: clmove.depth_to_space(each, block, "depth_first", device=d)),
    "tile": lambda d, x, *reps: clmove.tile(x, as_tuple(reps), device=d),
    "repeat": lambda d, x, *reps: clmove.tile(x, as_tuple(reps), device=d),
    "permute": lambda d, x, *order: clmove.permute(x, as_tuple(order), device=d),
    "movedim": lambda d, x, source, destination: array_api.moveaxis(x, source, destination, device=d),
}


@pytest.mark.parametrize("name", OURS)
def test_samples(device, name):
    found = [info for info in op_db if info.name == name and not info.variant_test_name]
    assert found, f"torch {torch.__version__} has no OpInfo of {name}"
    count = 0
    for dtype in TYPES:
        if not found[0].supports_dtype(dtype, "cpu"):
            continue
        for sample in found[0].sample_inputs("cpu", dtype):
            expected = found[0](sample.input, *sample.args, **sample.kwargs)
            arguments = (*sample.args, *sample.kwargs.values())
            same(OURS[name](device, sample.input.detach().numpy(), *arguments), expected.detach().contiguous().numpy())
            count += 1
    assert count >= 2 * len(TYPES) - 2, count


def test_tensors(device):
    x = torch.arange(24, dtype=torch.float32).reshape(1, 6, 2, 2)
    same(clmove.depth_to_space(x[:, :4], 2, device=device), clmove.depth_to_space(x.numpy()[:, :4], 2, device=device))
    y = clmove.permute(noise((3, 4), "f4"), (1, 0), device=device)
    assert torch.from_dlpack(y).data_ptr() == y.ctypes.data
    to = torch.zeros(4, 6)
    clmove.tile(x[0, 0], (2, 3), out=to.numpy(), device=device)
    assert torch.equal(to, x[0, 0].repeat(2, 3))


def test_refused():
    x = torch.zeros(2, 3, requires_grad=True)
    for call in (lambda: clmove.tile(x, 2), lambda: clmove.tile(x.detach(), 1, out=x)):
        with pytest.raises(clmove.ArgumentError, match="the memory of this Tensor cannot be used: .*detach"):
            call()
    with pytest.raises(clmove.ElementError, match="clmove converts nothing"):
        clmove.tile(torch.zeros(2), 2, out=torch.zeros(4, dtype=torch.int32))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.uint8, torch.complex64])
def test_destinations(device, dtype):
    """Also of bfloat16, which NumPy does not have."""
    x = torch.arange(24).reshape(2, 3, 4).to(dtype)
    expected = x.permute(2, 0, 1).contiguous()
    for out in (torch.zeros(4, 2, 3, dtype=dtype), torch.zeros(4, 3, 2, dtype=dtype).transpose(1, 2)):
        assert clmove.permute(x, (2, 0, 1), out=out, device=device) is out
        assert torch.equal(out, expected)
    moved = clmove.permute(x[:, ::2], (2, 0, 1), device=device)
    assert moved.tobytes() == x[:, ::2].permute(2, 0, 1).contiguous().view(torch.uint8).numpy().tobytes()
    try:
        back = torch.from_dlpack(clmove.to_dlpack(moved))
    except clmove.ElementError:
        assert dtype == torch.bfloat16 and moved.dtype == "V2"  # without ml_dtypes
    else:
        assert torch.equal(back, x[:, ::2].permute(2, 0, 1)) and back.data_ptr() == moved.ctypes.data
