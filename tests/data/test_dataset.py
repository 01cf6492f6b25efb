"""Images: which, how scaled, and what is refused."""

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from plasticity.data import MNIST, FashionMNIST, Own, Source, Toy
from plasticity.data.dataset import chosen, scaled
from plasticity.data.idx import read_idx
from plasticity.ground.errors import Mistake


def test_a_data_set_of_N_is_the_first_of_each_class_in_file_order() -> None:
    labels = np.array([3, 3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 0])
    assert chosen(labels, 10, 10).tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_all_of_a_training_set_is_every_image_whatever_its_classes() -> None:
    assert chosen(np.array([0, 0, 0, 1, 2]), 5, 3).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("source", "N"), [(MNIST(), 54_220), (FashionMNIST(), 60_010), (Toy(), 60_010), (Toy(classes=7), 59_997 + 7)]
)
def test_N_larger_than_the_classes_allow_is_refused(source: Source, N: int) -> None:
    with pytest.raises(Mistake, match=f"N={N} is more than .* has: at most"):
        source.check(N)


@pytest.mark.parametrize(("source", "N"), [(MNIST(), 54_210), (FashionMNIST(), 60_000)])
def test_the_largest_N_is_allowed(source: Source, N: int) -> None:
    source.check(N)


@pytest.mark.parametrize("source", [MNIST(), FashionMNIST(), Toy(), Toy(classes=7)])
def test_all_images_are_allowed_though_classes_differ_in_size(source: Source) -> None:
    source.check(source.size())


@pytest.mark.parametrize("N", [10_005, 0, -10])
def test_N_that_is_not_a_multiple_of_the_classes_is_refused(N: int) -> None:
    with pytest.raises(Mistake, match=f"N={N} is not a positive multiple of the 10 classes"):
        MNIST().check(N)


def test_idx_files_are_read_in_their_own_shape(tmp_path: Path) -> None:
    values = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    path = tmp_path / "images"
    path.write_bytes(bytes([0, 0, 8, 3]) + struct.pack(">iii", 2, 3, 4) + values.tobytes())
    np.testing.assert_array_equal(read_idx(path), values)


def test_bytes_are_scaled_to_0_to_1_and_numbers_stay_as_they_are() -> None:
    assert scaled(np.array([[[0, 255]]], np.uint8)).tolist() == [[0.0, 1.0]]
    assert scaled(np.array([[[-2.0, 3.0]]])).tolist() == [[-2.0, 3.0]]


def test_toy_images_lie_between_0_and_1_with_as_many_of_each_class() -> None:
    made = Toy().load(200)
    assert made.images.shape == (200, 784)
    assert made.images.min() == 0 < made.images.max() <= 1
    assert np.bincount(made.labels).tolist() == [20] * 10


def test_toy_data_are_always_the_same() -> None:
    np.testing.assert_array_equal(Toy().load(50).images, Toy().load(50).images)


@pytest.mark.parametrize(("settings", "name"), [({"inputs": 0}, "inputs=0"), ({"classes": 1}, "classes=1")])
def test_impossible_toy_data_are_refused(settings: dict[str, int], name: str) -> None:
    with pytest.raises(Mistake, match=f"dataset.{name} is not possible"):
        Toy(**settings)


def npz(path: Path, images: np.ndarray, labels: np.ndarray) -> Own:
    np.savez(path, images=images, labels=labels)
    return Own(str(path))


def test_an_npz_of_ones_own_has_its_own_classes_inputs_and_shape(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    own = npz(tmp_path / "a.npz", rng.random((30, 5, 10)), np.arange(30) % 3 + 7)
    loaded = own.load(12)
    assert (loaded.classes, loaded.inputs, loaded.shape) == (3, 50, (5, 10))
    assert np.bincount(loaded.labels).tolist() == [4, 4, 4]
    assert own.size() == 30


def test_a_folder_has_a_class_for_each_sub_folder_of_pictures(tmp_path: Path) -> None:
    for name, grey in (("cats", 255), ("dogs", 51)):
        (tmp_path / name).mkdir()
        for number in range(4):
            Image.new("L", (6, 5), grey).save(tmp_path / name / f"{number}.png")
    loaded = Own(str(tmp_path)).load(4)
    assert (loaded.classes, loaded.inputs, loaded.shape) == (2, 30, (5, 6))
    assert loaded.images[loaded.labels == 1].max() == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("images", "labels", "says"),
    [
        (np.zeros((4, 3)), np.zeros(3, int), "one label for each image"),
        (np.zeros((4, 3)), np.zeros(4, int), "fewer than two classes"),
        (np.full((4, 3), np.nan), np.arange(4), "not finite numbers"),
    ],
)
def test_arrays_that_are_no_data_set_are_refused(
    tmp_path: Path, images: np.ndarray, labels: np.ndarray, says: str
) -> None:
    with pytest.raises(Mistake, match=says):
        npz(tmp_path / "a.npz", images, labels).check(2)


def test_a_file_that_is_no_npz_and_a_path_that_is_not_there_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_text("hello")
    with pytest.raises(Mistake, match="cannot be read as an"):
        Own(str(tmp_path / "a.npz")).size()
    with pytest.raises(Mistake, match="does not exist"):
        Own(str(tmp_path / "b.npz")).size()


def test_the_identity_of_ones_own_data_is_their_content_not_their_place(tmp_path: Path) -> None:
    images, labels = np.random.default_rng(0).random((6, 4)), np.arange(6) % 2
    paths = [npz(tmp_path / name, images, labels).path for name in ("a.npz", "b.npz")]
    other = npz(tmp_path / "c.npz", images + 1, labels).path
    same, moved, changed = (Own.identity({"path": path}) for path in (*paths, other))
    assert same == moved != changed
