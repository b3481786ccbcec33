# SPDX-License-Identifier: Apache-2.0
"""Types that signatures name."""

from collections.abc import Iterable
from typing import Any, SupportsIndex, Union

from numpy.typing import NDArray

Array = NDArray[Any]
Integers = Union[SupportsIndex, Iterable[SupportsIndex]]
#: Strides and the place of the first element, in elements.
View = tuple[list[int], int]
