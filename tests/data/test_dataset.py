"""Images: which, how scaled, and what is refused."""

import struct
from pathlib import Path

import numpy as np
import pytest

from plasticity.data import dataset as data
from plasticity.errors import Mistake


def test_a_data_set_of_N_is_the_first_of_each_class_in_file_order() -> None:
    labels = np.array([3, 3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 0])
    rows = data.first_of_each_class(labels, 10)
    assert rows.tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(("name", "N"), [("mnist", 54_220), ("fmnist", 60_010), ("toy", 60_010)])
def test_N_larger_than_the_classes_allow_is_refused(name: str, N: int) -> None:
    with pytest.raises(Mistake, match=f"N={N} is more than {name} has"):
        data.check(name, N)


@pytest.mark.parametrize(("name", "N"), [("mnist", 54_210), ("fmnist", 60_000)])
def test_the_largest_N_is_allowed(name: str, N: int) -> None:
    data.check(name, N)


@pytest.mark.parametrize("N", [10_005, 0, -10])
def test_N_that_is_not_a_multiple_of_ten_is_refused(N: int) -> None:
    with pytest.raises(Mistake, match=f"N={N} is not a positive multiple"):
        data.check("mnist", N)


def test_idx_files_are_read_in_their_own_shape(tmp_path: Path) -> None:
    values = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    path = tmp_path / "images"
    path.write_bytes(bytes([0, 0, 8, 3]) + struct.pack(">iii", 2, 3, 4) + values.tobytes())
    np.testing.assert_array_equal(data.read_idx(path), values)


def test_toy_images_lie_between_0_and_1_with_as_many_of_each_class() -> None:
    made = data.toy(200)
    assert made.images.shape == (200, 784)
    assert made.images.min() == 0 < made.images.max() <= 1
    assert np.bincount(made.labels).tolist() == [20] * 10


def test_toy_data_are_always_the_same() -> None:
    np.testing.assert_array_equal(data.toy(50).images, data.toy(50).images)
