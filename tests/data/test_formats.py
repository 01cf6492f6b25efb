"""Every data set is read from files in its own format, made here, with the traps that each has."""

import bz2
import gzip
import hashlib
import io
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from plasticity.data import CIFAR10, EMNIST, KMNIST, QMNIST, SVHN, USPS, download
from plasticity.data.pictures import Arrays
from plasticity.ground.errors import Mistake

RNG = np.random.default_rng(0)


def idx(values: np.ndarray) -> bytes:
    kind = {"uint8": 8, "int32": 12}[values.dtype.name]
    shape = struct.pack(f">{values.ndim}i", *values.shape)
    return bytes([0, 0, kind, values.ndim]) + shape + values.astype(values.dtype.newbyteorder(">")).tobytes()


def images(n: int, *shape: int) -> np.ndarray:
    return RNG.integers(0, 256, (n, *shape), np.uint8)


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The data set of N, from files of such contents, in the order in which it names them."""

    def load(source: Any, N: int, *contents: bytes) -> Any:
        md5 = dict(zip(source.files.md5, (hashlib.md5(content).hexdigest() for content in contents), strict=True))
        monkeypatch.setattr(type(source), "files", replace(source.files, md5=md5))
        raw = tmp_path / source.files.folder / "raw"
        raw.mkdir(parents=True)
        for name, content in zip(md5, contents, strict=True):
            (raw / name).write_bytes(content)
        return source.load(N, tmp_path)

    return load


def test_kmnist_is_read_from_gzipped_idx_files(loaded) -> None:
    x, y = images(30, 28, 28), np.arange(30, dtype=np.uint8) % 10
    found = loaded(KMNIST(), 20, gzip.compress(idx(x)), gzip.compress(idx(y)))
    np.testing.assert_array_equal(found.images, np.float32(x[:20].reshape(20, 784)) / np.float32(255))
    assert (found.labels.tolist(), found.classes, found.shape) == (y[:20].tolist(), 10, (28, 28))


def test_qmnist_has_eight_facts_on_each_image_of_which_the_first_is_its_class(loaded) -> None:
    facts = RNG.integers(100, 4000, (20, 8)).astype(np.int32)
    facts[:, 0] = np.arange(20) % 10
    found = loaded(QMNIST(), 10, gzip.compress(idx(images(20, 28, 28))), gzip.compress(idx(facts)))
    assert found.labels.tolist() == list(range(10))


@pytest.mark.parametrize(("split", "classes", "first"), [("balanced", 47, 0), ("letters", 26, 1)])
def test_emnist_images_are_transposed_back_and_labels_begin_at_0(loaded, split: str, classes: int, first: int) -> None:
    x, y = images(2 * classes, 28, 28), (np.arange(2 * classes) % classes + first).astype(np.uint8)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for kind, values in (("images-idx3-ubyte", x), ("labels-idx1-ubyte", y)):
            file.writestr(f"gzip/emnist-{split}-train-{kind}.gz", gzip.compress(idx(values)))
    found = loaded(EMNIST(split), classes, packed.getvalue())
    np.testing.assert_array_equal(found.images[3].reshape(28, 28), np.float32(x[3].T) / np.float32(255))
    assert (found.classes, found.labels.tolist()) == (classes, list(range(classes)))


def test_usps_labels_begin_at_1_values_at_minus_1_and_a_place_that_is_not_named_is_0(loaded) -> None:
    values = np.round(RNG.uniform(-1, 1, (20, 256)), 4)
    values[3, 7] = 0
    lines = [
        f"{label % 10 + 1} " + " ".join(f"{place + 1}:{value:g}" for place, value in enumerate(row) if value)
        for label, row in enumerate(values)
    ]
    found = loaded(USPS(), 20, bz2.compress("\n".join(lines).encode()))
    np.testing.assert_allclose(found.images, (values + 1) / 2, atol=1e-6)
    assert (found.shape, found.inputs, found.labels.tolist()) == ((16, 16), 256, [*range(10), *range(10)])


def test_svhn_is_grey_and_its_label_10_is_the_digit_0(loaded) -> None:
    x, y = images(32, 32, 3, 20), (np.arange(20) % 10 + 1).astype(np.uint8)[:, None]
    content = io.BytesIO()
    savemat(content, {"X": x, "y": y})
    found = loaded(SVHN(), 20, content.getvalue())
    assert found.labels.tolist() == [*range(1, 10), 0] * 2
    red, green, blue = (float(each) for each in x[5, 9, :, 11])
    assert found.images[11].reshape(32, 32)[5, 9] == np.float32(round(0.299 * red + 0.587 * green + 0.114 * blue)) / 255


def cifar(data: np.ndarray, labels: list[int], protocol: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for number, (part, own) in enumerate(zip(np.split(data, 5), np.split(np.array(labels), 5), strict=True)):
            content = pickle.dumps({"data": part, "labels": own.tolist()}, protocol)
            entry = tarfile.TarInfo(f"cifar-10-batches-py/data_batch_{number + 1}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize(("colour", "inputs", "shape"), [(False, 1024, (32, 32)), (True, 3072, (32, 32, 3))])
@pytest.mark.parametrize("protocol", [2, 5])
def test_cifar_10_has_planes_of_red_green_and_blue(
    loaded, colour: bool, inputs: int, shape: tuple[int, ...], protocol: int
) -> None:
    data, labels = images(50, 3072), [label % 10 for label in range(50)]
    found = loaded(CIFAR10(colour), 20, cifar(data, labels, protocol))
    assert (found.inputs, found.shape, found.labels.tolist()) == (inputs, shape, labels[:20])
    red, green, blue = (float(data[17, plane * 1024 + 4 * 32 + 9]) for plane in range(3))  # row 4, column 9
    pixel = found.images[17].reshape(shape)[4, 9] * 255
    grey = round(0.299 * red + 0.587 * green + 0.114 * blue)
    np.testing.assert_allclose(pixel, [red, green, blue] if colour else grey, atol=1e-3)


@pytest.mark.parametrize("colour", ["red", 1, None])
def test_a_colour_that_is_neither_true_nor_false_is_refused(colour: Any) -> None:
    with pytest.raises(Mistake, match=f"dataset.colour={colour} is not possible; it must be true or false"):
        CIFAR10(colour)


def test_a_file_that_would_run_something_is_no_file_of_images() -> None:
    with pytest.raises(pickle.UnpicklingError, match="has no place"):
        Arrays(io.BytesIO(pickle.dumps(print)), encoding="latin1").load()


SOURCES = [KMNIST(), QMNIST(), EMNIST("balanced"), EMNIST("letters"), USPS(), SVHN(), CIFAR10(), CIFAR10(True)]


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_where_no_source_answers_one_sentence_says_what_was_tried_and_where_to_put_the_files(
    source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(*arguments: object) -> None:
        raise OSError("nobody answers")

    monkeypatch.setattr(download._import_torchvision_datasets().utils, "download_url", nobody)
    with pytest.raises(Mistake) as caught:
        source.fetch(tmp_path)
    raw = tmp_path / source.files.folder / "raw"
    assert str(caught.value) == (
        f"no source of {source.files.folder} could be reached: tried torchvision's mirrors (nobody answers). "
        f"Put {' and '.join(source.files.md5)}, as downloaded, into {raw} by hand"
    )


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_torchvision_is_asked_for_each_file_with_its_md5(
    source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def brings(address: str, folder: Path, name: str, md5: str) -> None:
        asked.append((address.rpartition("/")[2], name, md5))
        raise OSError("seen")

    monkeypatch.setattr(download._import_torchvision_datasets().utils, "download_url", brings)
    with pytest.raises(Mistake):
        source.fetch(tmp_path)
    name, md5 = next(iter(source.files.md5.items()))
    assert asked == [(name, name, md5)]


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_known_of_a_data_set_beforehand_fits_together(source: Any) -> None:
    source.check(source.classes * source.rarest)
    source.check(source.size())
    with pytest.raises(Mistake, match="more than"):
        source.check(source.classes * (source.rarest + 1) + source.classes * source.size())


def test_fewer_images_of_a_class_than_were_expected_are_one_sentence(loaded) -> None:
    x, y = images(12, 28, 28), np.array([0, 0, *range(10)], np.uint8)
    with pytest.raises(Mistake, match="N=30 is more than KMNIST has: it gives 12 images"):
        loaded(KMNIST(), 30, gzip.compress(idx(x)), gzip.compress(idx(y)))


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(Mistake, match=r"dataset.split=digits is not known; choose balanced or letters"):
        EMNIST("digits")
