"""A run's folder is found again where it lies now."""

from pathlib import Path

import again
import pytest

from plasticity.ground.errors import Mistake

RUN = "toy/N100/aen-K40/seed0-1a2b3c4d"


def made(outputs: Path) -> Path:
    (outputs / RUN).mkdir(parents=True)
    (outputs / RUN / "config.yaml").touch()
    return outputs / RUN


def test_a_folder_that_is_there_is_taken_with_its_outputs(tmp_path: Path) -> None:
    folder = made(tmp_path / "outputs")
    words = ["--config-path", str(folder), "force=true"]
    assert again.found(words) == [*words, f"outputs={tmp_path}/outputs"]


@pytest.mark.parametrize("place", ["renamed", "deep/er/still", "a b=[c]"])
def test_a_folder_that_was_moved_is_found_by_its_name(tmp_path: Path, place: str) -> None:
    folder = made(tmp_path / place)
    words = ["--config-path", str(tmp_path / "outputs" / RUN)]
    assert again.found(words) == ["--config-path", str(folder), f"outputs={tmp_path / place}"]


def test_outputs_that_somebody_names_stay(tmp_path: Path) -> None:
    words = ["outputs=mine", "--config-path", str(made(tmp_path))]
    assert again.found(words) == words


def test_one_that_is_nowhere_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"seed0-1a2b3c4d is not there; name the folder"):
        again.found(["--config-path", str(tmp_path / "outputs" / RUN)])


def test_other_folders_of_yamls_are_left_alone() -> None:
    words = ["--config-path", "/somewhere/conf", "model=aen"]
    assert again.found(words) == words
